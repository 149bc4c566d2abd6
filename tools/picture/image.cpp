#include "tools/picture/image.hpp"

#include <algorithm>

namespace tilespmv::tools {
namespace {

std::vector<Block> runs(const Image& image, int y) {
    std::vector<Block> found;
    for (int x = 0, end = 0; x < image.width(); x = end) {
        const Rgb color = image.at(x, y);
        for (end = x + 1; end < image.width() && image.at(end, y) == color;) ++end;
        if (color != kWhite) found.push_back({x, y, end - x, 1, color});
    }
    return found;
}

}  // namespace

Image::Image(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), kWhite) {}

void Image::fill(int x, int y, int width, int height, Rgb color) {
    const int left = std::clamp(x, 0, width_);
    const int right = std::clamp(x + width, left, width_);
    const int bottom = std::min(y + height, height_);
    for (int row = std::max(y, 0); row < bottom; ++row) {
        std::fill_n(pixels_.begin() + static_cast<std::ptrdiff_t>(index(left, row)), right - left, color);
    }
}

std::vector<Block> blocks(const Image& image) {
    std::vector<Block> done;
    std::vector<Block> open;  // end in the row above, from left to right
    for (int y = 0; y < image.height(); ++y) {
        std::vector<Block> row = runs(image, y);
        auto above = open.begin();
        for (Block& run : row) {
            for (; above != open.end() && above->x < run.x; ++above) done.push_back(*above);
            if (above == open.end() || above->x != run.x) continue;
            if (above->width == run.width && above->color == run.color) {
                run.y = above->y;
                run.height = above->height + 1;
            } else {
                done.push_back(*above);
            }
            ++above;
        }
        done.insert(done.end(), above, open.end());
        open = std::move(row);
    }
    done.insert(done.end(), open.begin(), open.end());
    return done;
}

}  // namespace tilespmv::tools
