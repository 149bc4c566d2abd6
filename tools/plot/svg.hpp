#pragma once

#include <string>
#include <string_view>

namespace tilespmv::tools {

/// A text for SVG: what XML would take for its own is escaped, and control characters, which it forbids, become spaces.
std::string xml_escape(std::string_view text);

/// A number as short as its tenths allow.
std::string coordinate(double value);

enum class Anchor { start, middle, end };

struct TextStyle {
    double size = 11;  ///< pixels
    std::string_view color = "#59636e";
    Anchor anchor = Anchor::start;
    bool bold = false;
};

/// A picture as SVG text: white ground, system fonts, no scripts. Coordinates are pixels from the upper left corner.
class Svg {
public:
    Svg(double width, double height, std::string_view title);

    void line(double x1, double y1, double x2, double y2, std::string_view color, std::string_view dashes = "");
    /// `hint` is shown under the mouse.
    void rectangle(double x, double y, double width, double height, std::string_view color, std::string_view hint = "");
    /// A dot; hollow ones have the colour as their border.
    void dot(double x, double y, double radius, std::string_view color, bool hollow, std::string_view hint = "");
    void text(double x, double y, std::string_view text, const TextStyle& style);
    /// Reads upwards, centred on the point.
    void text_upwards(double x, double y, std::string_view text, const TextStyle& style);

    /// The whole picture.
    [[nodiscard]] std::string str() const { return text_ + "</svg>\n"; }

private:
    void element(std::string_view name, std::string_view attributes, std::string_view hint);

    std::string text_;
};

}  // namespace tilespmv::tools
