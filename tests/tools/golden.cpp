#include "tests/tools/golden.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <png.h>

#include "tests/temporary_directory.hpp"

namespace tilespmv::test {
namespace {

constexpr const char* kHowToUpdate =
    "if the new output is right, rewrite the files with: TILESPMV_UPDATE_GOLDEN=1 ctest -R Golden";

std::filesystem::path path_of(const std::string& name) { return std::filesystem::path(TILESPMV_GOLDEN) / name; }

bool updates() {
    const char* update = std::getenv("TILESPMV_UPDATE_GOLDEN");
    return update != nullptr && std::string_view(update) == "1";
}

void write(const std::string& name, std::string_view content) {
    std::ofstream(path_of(name), std::ios::binary) << content;
}

/// Takes the first line off a text, with its newline.
std::string_view next_line(std::string_view& text) {
    const auto line = text.substr(0, text.find('\n') + 1);
    const auto taken = line.empty() ? text : line;
    text.remove_prefix(taken.size());
    return taken;
}

std::string shown(std::string_view line) {
    if (line.empty()) return "(the end)";
    if (!line.ends_with('\n')) return fmt::format("{}(no newline)", line);
    return std::string(line.substr(0, line.size() - 1));
}

std::string first_difference(std::string_view expected, std::string_view actual) {
    for (int number = 1;; ++number) {
        const auto wanted = next_line(expected);
        const auto found = next_line(actual);
        if (wanted != found)
            return fmt::format("line {}\nexpected: {}\nfound:    {}", number, shown(wanted), shown(found));
    }
}

struct Pixels {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::uint8_t> rgb;
};

Pixels decode(std::string_view file) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_TRUE(png_image_begin_read_from_memory(&image, file.data(), file.size())) << image.message;
    image.format = PNG_FORMAT_RGB;
    Pixels pixels{image.width, image.height, std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
    EXPECT_TRUE(png_image_finish_read(&image, nullptr, pixels.rgb.data(), 0, nullptr)) << image.message;
    return pixels;
}

std::string color(const Pixels& pixels, std::size_t at) {
    return fmt::format("#{:02x}{:02x}{:02x}", pixels.rgb[at], pixels.rgb[at + 1], pixels.rgb[at + 2]);
}

/// Of pictures of the same size.
std::string first_difference(const Pixels& expected, const Pixels& actual) {
    for (std::size_t at = 0; at < expected.rgb.size(); at += 3) {
        const auto wanted = color(expected, at);
        const auto found = color(actual, at);
        if (wanted == found) continue;
        const auto pixel = at / 3;
        return fmt::format("pixel ({}, {})\nexpected: {}\nfound:    {}", pixel % expected.width, pixel / expected.width,
                           wanted, found);
    }
    return "";
}

}  // namespace

void expect_golden(const std::string& name, const std::string& actual) {
    if (updates()) return write(name, actual);
    const std::string expected = content_of(path_of(name));
    if (actual == expected) return;
    ADD_FAILURE() << path_of(name).string() << ": " << first_difference(expected, actual) << '\n' << kHowToUpdate;
}

void expect_golden_picture(const std::string& name, const std::vector<std::byte>& actual) {
    const std::string_view file(reinterpret_cast<const char*>(actual.data()), actual.size());
    if (updates()) return write(name, file);
    const Pixels found = decode(file);
    const Pixels expected = decode(content_of(path_of(name)));
    ASSERT_EQ(found.width, expected.width) << name << '\n' << kHowToUpdate;
    ASSERT_EQ(found.height, expected.height) << name << '\n' << kHowToUpdate;
    if (found.rgb == expected.rgb) return;
    ADD_FAILURE() << path_of(name).string() << ": " << first_difference(expected, found) << '\n' << kHowToUpdate;
}

}  // namespace tilespmv::test
