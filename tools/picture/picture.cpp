#include "tools/picture/picture.hpp"

#include <utility>

#include "tile/io/printable.hpp"

namespace tilespmv::tools {
Picture::Picture(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(printable(title)) {}

void Picture::rectangle(double x, double y, double width, double height, Rgb color) {
    elements_.push_back(Rectangle{x, y, width, height, color});
}

void Picture::text(double x, double y, std::string_view text, const TextStyle& style) {
    elements_.push_back(Text{x, y, printable(text), style});
}

void Picture::image(double x, double y, Image image) { elements_.push_back(Pixels{x, y, std::move(image)}); }

}  // namespace tilespmv::tools
