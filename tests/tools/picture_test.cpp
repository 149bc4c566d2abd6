// What is recorded, and the files that are made from it.
#include "tools/picture/picture.hpp"

#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/decoded_png.hpp"
#include "tile/error.hpp"
#include "tools/picture/base64.hpp"
#include "tools/picture/png.hpp"
#include "tools/picture/svg.hpp"

namespace tilespmv::tools {
namespace {

using test::decoded_png;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Rgb kInk = "#010203";

TEST(Rgb, IsWrittenAsItIsRead) {
    EXPECT_EQ(Rgb("#09af10"), (Rgb{0x09, 0xaf, 0x10}));
    EXPECT_EQ(hex(Rgb("#09af10")), "#09af10");
    for (const auto* text : {"", "#12345", "#1234567", "1234567", "#12345g", "#ABCDEF"}) {
        EXPECT_THROW(Rgb{std::string(text)}, std::invalid_argument) << text;
    }
}

TEST(Rgb, TintsGoFromWhiteToTheColour) {
    EXPECT_EQ(tint(kInk, 0), kWhite);
    EXPECT_EQ(tint(kInk, 1), kInk);
    EXPECT_EQ(tint(Rgb{55, 155, 255}, 0.5), (Rgb{155, 205, 255}));
}

TEST(Image, ClipsWhatLiesOutside) {
    Image image(10, 8);
    image.fill(-5, -5, 7, 7, kInk);
    image.fill(8, 6, 100, 100, kInk);
    image.fill(20, 2, 5, 5, kInk);
    image.fill(2, 20, 5, 5, kInk);
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 10; ++x) {
            const bool filled = (x < 2 && y < 2) || (x >= 8 && y >= 6);
            EXPECT_EQ(image.at(x, y), filled ? kInk : kWhite) << x << ", " << y;
        }
    }
}

/// Rectangles of a few colours on top of each other.
Image random_image(unsigned seed) {
    std::mt19937 random(seed);
    Image image(12, 9);
    const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
    for (int i = 0; i < 12; ++i) {
        const Rgb color(static_cast<std::uint8_t>(254 + below(2)), 255, 255);
        image.fill(below(12), below(9), 1 + below(6), 1 + below(6), color);
    }
    return image;
}

TEST(Image, BlocksCoverWhatIsNotWhiteOnce) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        const Image image = random_image(seed);
        Image covered(image.width(), image.height());
        for (const Block& b : blocks(image)) {
            for (int y = b.y; y < b.y + b.height; ++y) {
                for (int x = b.x; x < b.x + b.width; ++x) {
                    ASSERT_EQ(covered.at(x, y), kWhite) << seed;
                    covered.fill(x, y, 1, 1, b.color);
                }
            }
        }
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) ASSERT_EQ(covered.at(x, y), image.at(x, y)) << seed;
        }
    }
}

TEST(Image, EqualRunsBelowEachOtherAreOneBlock) {
    Image image(20, 20);
    image.fill(1, 2, 5, 4, kInk);
    image.fill(8, 2, 5, 4, kInk);
    image.fill(8, 6, 4, 4, kInk);
    image.fill(1, 6, 5, 4, "#000000");
    EXPECT_EQ(blocks(image).size(), 4);
    EXPECT_TRUE(blocks(Image(3, 3)).empty());
    image.fill(0, 0, 20, 20, kInk);
    ASSERT_EQ(blocks(image).size(), 1);
    EXPECT_EQ(blocks(image)[0].width, 20);
    EXPECT_EQ(blocks(image)[0].height, 20);
}

TEST(Base64, TestVectorsOfTheStandard) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xfe\xfb"), "//77");
}

/// What Cairo measures; a font that is not there is replaced by another.
double measured_width(const std::string& text, const TextStyle& style, const char* family) {
    const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface(
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1), cairo_surface_destroy);
    const std::unique_ptr<cairo_t, void (*)(cairo_t*)> cairo(cairo_create(surface.get()), cairo_destroy);
    cairo_select_font_face(cairo.get(), family, CAIRO_FONT_SLANT_NORMAL,
                           style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo.get(), style.size);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo.get(), text.c_str(), &extents);
    return extents.x_advance;
}

void expect_room(const char* family) {
    for (const bool bold : {false, true}) {
        const TextStyle style{.size = 100, .bold = bold};
        for (char c = ' '; c <= '~'; ++c) {
            const std::string text(1, c);
            EXPECT_LE(measured_width(text, style, family), text_width(text, style) + 0.5)
                << family << ": " << text << (bold ? ", bold" : "");
        }
    }
}

TEST(TextWidth, IsEnoughForTheUsualFonts) {
    struct Font {
        const char* family;
        double width_of_m;  // by which it is known
    };
    int found = 0;
    for (const auto& [family, width] : {Font{"DejaVu Sans", 97.4}, {"Liberation Sans", 83.3}}) {
        if (std::abs(measured_width("m", {.size = 100}, family) - width) > 0.5) continue;
        ++found;
        expect_room(family);
    }
    if (found == 0) GTEST_SKIP() << "needs DejaVu Sans or Liberation Sans";
}

TEST(TextWidth, CountsCharactersAndNotBytes) {
    const TextStyle style{.size = 10};
    EXPECT_DOUBLE_EQ(text_width("", style), 0);
    EXPECT_DOUBLE_EQ(text_width("12", style), 12.8);
    EXPECT_DOUBLE_EQ(text_width("\u00d7\u2026\U0001f600", style), 31.5);
}

TEST(Svg, EscapesWhatIsNotText) {
    EXPECT_EQ(xml_escape("a<b> & \"c\"\n"), "a&lt;b&gt; &amp; &quot;c&quot; ");
    Picture picture(10, 20, "<title>\xff");
    picture.rectangle(1.26, -0.01, 2, 2, "#000000");
    picture.text(1, 2, "<t>\n\xff", {});
    const std::string text = svg(picture);
    EXPECT_THAT(text, HasSubstr("<title>&lt;title&gt;\\xff</title>"));
    EXPECT_THAT(text, HasSubstr("x=\"1.3\" y=\"0\""));
    EXPECT_THAT(text, HasSubstr(">&lt;t&gt;\\n\\xff</text>"));
}

TEST(Svg, FewLargeAreasArePathsAndManySmallOnesAPng) {
    Picture areas(100, 100, "areas");
    Image few(100, 100);
    few.fill(3, 4, 50, 60, kInk);
    areas.image(1, 2, few);
    EXPECT_THAT(svg(areas), HasSubstr("<g transform=\"translate(1 2)\" shape-rendering=\"crispEdges\">\n"
                                      "<path fill=\"#010203\" d=\"M3 4h50v60h-50z\"/>\n</g>\n"));
    EXPECT_THAT(svg(areas), Not(HasSubstr("<image")));
    Image many(100, 100);
    for (int i = 0; i < 5000; ++i) many.fill(2 * (i % 50) + i / 50 % 2, i / 50, 1, 1, kInk);
    Picture noise(100, 100, "noise");
    noise.image(1, 2, many);
    EXPECT_THAT(svg(noise),
                HasSubstr("<image x=\"1\" y=\"2\" width=\"100\" height=\"100\" image-rendering=\"pixelated\" "
                          "href=\"data:image/png;base64," +
                          base64(png(many)) + "\"/>"));
    EXPECT_THAT(svg(noise), Not(HasSubstr("<path")));
}

TEST(Png, PixelsOfAnImageComeBack) {
    for (unsigned seed = 0; seed < 5; ++seed) {
        const Image image = random_image(seed);
        const Image found = decoded_png(png(image));
        ASSERT_EQ(found.width(), image.width());
        ASSERT_EQ(found.height(), image.height());
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) ASSERT_EQ(found.at(x, y), image.at(x, y)) << seed;
        }
    }
}

TEST(Png, AreasOnWholePixelsAreExact) {
    const Image image = random_image(1);
    Picture picture(30, 20, "areas");
    picture.rectangle(2, 3, 4, 5, kInk);
    picture.image(10, 7, image);
    const Image found = decoded_png(png(picture));
    ASSERT_EQ(found.width(), 30);
    ASSERT_EQ(found.height(), 20);
    for (int y = 0; y < found.height(); ++y) {
        for (int x = 0; x < found.width(); ++x) {
            Rgb expected = kWhite;
            if (x >= 2 && x < 6 && y >= 3 && y < 8) expected = kInk;
            if (x >= 10 && x < 22 && y >= 7 && y < 16) expected = image.at(x - 10, y - 7);
            ASSERT_EQ(found.at(x, y), expected) << x << ", " << y;
        }
    }
}

/// The pixels that are not white.
struct Ink {
    int left = 10'000;
    int right = -1;
    int top = 10'000;
    int bottom = -1;
};

Ink ink(const Image& image) {
    Ink found;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            if (image.at(x, y) == kWhite) continue;
            found = {std::min(found.left, x), std::max(found.right, x), std::min(found.top, y),
                     std::max(found.bottom, y)};
        }
    }
    return found;
}

Ink ink_of_text(const TextStyle& style) {
    Picture picture(400, 400, "text");
    const std::string text = "HEN 123";
    picture.text(200, 200, text, style);
    return ink(decoded_png(png(picture)));
}

TEST(Png, TextsStandAtTheirAnchor) {
    const double width = text_width("HEN 123", {.size = 20});
    const Ink start = ink_of_text({.size = 20, .anchor = Anchor::start});
    EXPECT_NEAR(start.left, 200, 4);
    EXPECT_GT(start.right, 200 + width / 2);
    EXPECT_LT(start.right, 200 + width);
    EXPECT_NEAR(start.bottom, 199, 2);
    EXPECT_NEAR(start.top, 200 - 0.72 * 20, 3);
    const Ink end = ink_of_text({.size = 20, .anchor = Anchor::end});
    EXPECT_NEAR(end.right, 199, 4);
    EXPECT_NEAR(end.right - end.left, start.right - start.left, 2);
    const Ink middle = ink_of_text({.size = 20, .anchor = Anchor::middle});
    EXPECT_NEAR(middle.left + middle.right, 400, 5);
    constexpr TextStyle large{.size = 100};
    constexpr TextStyle large_bold{.size = 100, .bold = true};
    if (measured_width("HEN", large_bold, "sans-serif") > measured_width("HEN", large, "sans-serif")) {
        EXPECT_GT(ink_of_text({.size = 20, .bold = true}).right, start.right);
    }
}

TEST(Png, ADrawingGoesOnAfterATextOfAnyBytes) {
    Picture picture(40, 20, "\xff");
    picture.text(0, 10, std::string("\xff\0\n", 3), {});
    picture.rectangle(30, 10, 5, 5, kInk);
    EXPECT_EQ(decoded_png(png(picture)).at(31, 11), kInk);
}

TEST(Png, RefusesWhatCairoCannotDraw) {
    EXPECT_EQ(decoded_png(png(Picture(32'767, 1, ""))).width(), 32'767);
    try {
        png(Picture(10, 32'768, ""));
        ADD_FAILURE() << "nothing thrown";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "PNG of 10 x 32768 pixels: no side can be longer than 32767; take SVG");
    }
}

}  // namespace
}  // namespace tilespmv::tools
