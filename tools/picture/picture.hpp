#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/picture/image.hpp"
#include "tools/picture/text.hpp"

namespace tilespmv::tools {

/// What is drawn, in this order, on white ground, to be written by `svg` or `png`. Coordinates are pixels from the
/// upper left corner. Texts and hints are recorded as `printable` makes them.
class Picture {
public:
    struct Line {
        double x1, y1, x2, y2;
        Rgb color;
        std::string dashes;
    };
    struct Rectangle {
        double x, y, width, height;
        Rgb color;
        std::string hint;
    };
    struct Dot {
        double x, y, radius;
        Rgb color;
        bool hollow;
        std::string hint;
    };
    struct Text {
        double x, y;
        std::string text;
        TextStyle style;
        bool upwards;
    };
    struct Pixels {
        double x, y;
        Image image;
    };
    using Element = std::variant<Line, Rectangle, Dot, Text, Pixels>;

    Picture(double width, double height, std::string_view title);

    /// One pixel wide. `dashes`: lengths of dash and gap, "5 4".
    void line(double x1, double y1, double x2, double y2, Rgb color, std::string_view dashes = "");
    /// `hint` is shown under the mouse, where the file can do that.
    void rectangle(double x, double y, double width, double height, Rgb color, std::string_view hint = "");
    /// A dot; hollow ones have the colour as their border.
    void dot(double x, double y, double radius, Rgb color, bool hollow, std::string_view hint = "");
    /// (x, y) is on the base line.
    void text(double x, double y, std::string_view text, const TextStyle& style);
    /// The same, reading upwards.
    void text_upwards(double x, double y, std::string_view text, const TextStyle& style);
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
