#include "tools/picture/canvas.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <png.h>

#include "tile/error.hpp"
#include "tools/picture/font.hpp"

namespace tilespmv::tools {
namespace {

constexpr int kLetterGap = 1;

}  // namespace

Rgb tint(Rgb color, double strength) {
    const auto mix = [&](std::uint8_t c) { return static_cast<std::uint8_t>(255.5 + (c - 255.0) * strength); };
    return {mix(color.r), mix(color.g), mix(color.b)};
}

int text_width(std::string_view text) {
    int width = 0;
    for (const char c : text) width += glyph(c).width + kLetterGap;
    return std::max(0, width - kLetterGap);
}

Canvas::Canvas(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), Rgb{255, 255, 255}) {}

void Canvas::fill(int x, int y, int width, int height, Rgb color) {
    const int left = std::clamp(x, 0, width_);
    const int right = std::clamp(x + width, left, width_);
    const int bottom = std::min(y + height, height_);
    for (int row = std::max(y, 0); row < bottom; ++row) {
        std::fill_n(pixels_.begin() + static_cast<std::ptrdiff_t>(index(left, row)), right - left, color);
    }
}

void Canvas::frame(int x, int y, int width, int height, Rgb color) {
    fill(x, y, width, 1, color);
    fill(x, y + height - 1, width, 1, color);
    fill(x, y, 1, height, color);
    fill(x + width - 1, y, 1, height, color);
}

void Canvas::text(int x, int y, int scale, Rgb color, std::string_view text) {
    for (const char c : text) {
        const Glyph g = glyph(c);
        for (int row = 0; row < Glyph::kRows; ++row) {
            for (int col = 0; col < g.width; ++col) {
                if (g.dot(row, col)) fill(x + col * scale, y + row * scale, scale, scale, color);
            }
        }
        x += (g.width + kLetterGap) * scale;
    }
}

std::vector<std::byte> Canvas::png() const {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::vector<std::byte> file(size);
    if (!png_image_write_to_memory(&image, file.data(), &size, 0, pixels_.data(), 0, nullptr)) {
        throw Error(fmt::format("PNG of {} x {} pixels: {}", width_, height_, image.message));
    }
    file.resize(size);
    return file;
}

}  // namespace tilespmv::tools
