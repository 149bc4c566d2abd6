#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/picture/image.hpp"
#include "tools/picture/text.hpp"

namespace tilespmv::tools {

/// What is drawn, in this order, on white ground, to be written by `svg` or `png`. Coordinates are pixels from the
/// upper left corner. Texts are recorded as `printable` makes them.
class Picture {
public:
    struct Rectangle {
        double x, y, width, height;
        Rgb color;
    };
    struct Text {
        double x, y;
        std::string text;
        TextStyle style;
    };
    struct Pixels {
        double x, y;
        Image image;
    };
    using Element = std::variant<Rectangle, Text, Pixels>;

    Picture(double width, double height, std::string_view title);

    void rectangle(double x, double y, double width, double height, Rgb color);
    /// (x, y) is on the base line.
    void text(double x, double y, std::string_view text, const TextStyle& style);
    /// (x, y) is the upper left corner. White pixels may be left out.
    void image(double x, double y, Image image);

    [[nodiscard]] double width() const { return width_; }
    [[nodiscard]] double height() const { return height_; }
    [[nodiscard]] const std::string& title() const { return title_; }
    [[nodiscard]] const std::vector<Element>& elements() const { return elements_; }

private:
    double width_;
    double height_;
    std::string title_;
    std::vector<Element> elements_;
};

}  // namespace tilespmv::tools
