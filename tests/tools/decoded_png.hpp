#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <cairo/cairo.h>
#include <gtest/gtest.h>

#include "tools/picture/image.hpp"

namespace tilespmv::test {

/// The pixels of a PNG file; fails for what is none.
inline tools::Image decoded_png(std::string_view file) {
    const auto read = [](void* from, unsigned char* to, unsigned size) {
        auto& rest = *static_cast<std::string_view*>(from);
        if (rest.size() < size) return CAIRO_STATUS_READ_ERROR;
        std::memcpy(to, rest.data(), size);
        rest.remove_prefix(size);
        return CAIRO_STATUS_SUCCESS;
    };
    cairo_surface_t* surface = cairo_image_surface_create_from_png_stream(read, &file);
    EXPECT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
    tools::Image image(cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface));
    const unsigned char* row = cairo_image_surface_get_data(surface);
    for (int y = 0; y < image.height(); ++y, row += cairo_image_surface_get_stride(surface)) {
        for (int x = 0; x < image.width(); ++x) {
            const std::uint32_t p = reinterpret_cast<const std::uint32_t*>(row)[x];
            const auto byte = [p](int shift) { return static_cast<std::uint8_t>(p >> shift & 0xff); };
            image.fill(x, y, 1, 1, {byte(16), byte(8), byte(0)});
        }
    }
    cairo_surface_destroy(surface);
    return image;
}

}  // namespace tilespmv::test
