#include "tools/picture/picture.hpp"

#include <utility>

#include "tile/io/printable.hpp"

namespace tilespmv::tools {
Picture::Picture(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(printable(title)) {}

void Picture::line(double x1, double y1, double x2, double y2, Rgb color, std::string_view dashes) {
    elements_.push_back(Line{x1, y1, x2, y2, color, std::string(dashes)});
}

void Picture::rectangle(double x, double y, double width, double height, Rgb color, std::string_view hint) {
    elements_.push_back(Rectangle{x, y, width, height, color, printable(hint)});
}

void Picture::dot(double x, double y, double radius, Rgb color, bool hollow, std::string_view hint) {
    elements_.push_back(Dot{x, y, radius, color, hollow, printable(hint)});
}

void Picture::text(double x, double y, std::string_view text, const TextStyle& style) {
    elements_.push_back(Text{x, y, printable(text), style, false});
}

void Picture::text_upwards(double x, double y, std::string_view text, const TextStyle& style) {
    elements_.push_back(Text{x, y, printable(text), style, true});
}

void Picture::image(double x, double y, Image image) { elements_.push_back(Pixels{x, y, std::move(image)}); }

}  // namespace tilespmv::tools
