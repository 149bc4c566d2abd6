// Colours and images in texts.
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "tools/picture/base64.hpp"
#include "tools/picture/color.hpp"

namespace tilespmv::tools {
namespace {

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

TEST(Base64, TestVectorsOfTheStandard) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xfe\xfb"), "//77");
}

}  // namespace
}  // namespace tilespmv::tools
