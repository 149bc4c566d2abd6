#pragma once

#include <cstddef>
#include <vector>

#include "tools/picture/color.hpp"

namespace tilespmv::tools {

/// Pixels, white at first. Positions are pixels from the upper left corner; what lies outside is not drawn.
class Image {
public:
    Image(int width, int height);

    [[nodiscard]] int width() const { return width_; }
    [[nodiscard]] int height() const { return height_; }
    [[nodiscard]] Rgb at(int x, int y) const { return pixels_[index(x, y)]; }

    void fill(int x, int y, int width, int height, Rgb color);

private:
    [[nodiscard]] std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
    }

    int width_;
    int height_;
    std::vector<Rgb> pixels_;
};

/// Pixels of one colour.
struct Block {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    Rgb color;
};

/// Blocks that cover all pixels that are not white, each once: runs of equal pixels in a row, together with equal runs
/// in the rows below.
std::vector<Block> blocks(const Image& image);

}  // namespace tilespmv::tools
