#include "tools/plot/svg.hpp"

#include <cmath>

#include <fmt/format.h>

namespace tilespmv::tools {
namespace {

std::string_view anchor_name(Anchor anchor) {
    switch (anchor) {
        case Anchor::start:
            return "start";
        case Anchor::middle:
            return "middle";
        case Anchor::end:
            return "end";
    }
    return "";
}

std::string text_attributes(const TextStyle& style) {
    return fmt::format(R"(font-size="{}" fill="{}" text-anchor="{}"{})", coordinate(style.size), style.color,
                       anchor_name(style.anchor), style.bold ? R"( font-weight="600")" : "");
}

}  // namespace

std::string xml_escape(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
        }
    }
    return escaped;
}

std::string coordinate(double value) {
    const double tenths = std::round(value * 10) / 10;
    return fmt::format("{}", tenths == 0 ? 0.0 : tenths);
}

Svg::Svg(double width, double height, std::string_view title)
    : text_(fmt::format(
          R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img")"
          R"( font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">)"
          "\n<title>{2}</title>\n",
          coordinate(width), coordinate(height), xml_escape(title))) {
    rectangle(0, 0, width, height, "#ffffff");
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view color, std::string_view dashes) {
    element(
        "line",
        fmt::format(R"(x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}"{})", coordinate(x1), coordinate(y1), coordinate(x2),
                    coordinate(y2), color, dashes.empty() ? "" : fmt::format(R"( stroke-dasharray="{}")", dashes)),
        "");
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view color, std::string_view hint) {
    element("rect",
            fmt::format(R"(x="{}" y="{}" width="{}" height="{}" fill="{}")", coordinate(x), coordinate(y),
                        coordinate(width), coordinate(height), color),
            hint);
}

void Svg::dot(double x, double y, double radius, std::string_view color, bool hollow, std::string_view hint) {
    const std::string ink = hollow ? fmt::format(R"(fill="#ffffff" stroke="{}" stroke-width="1.5")", color)
                                   : fmt::format(R"(fill="{}" fill-opacity="0.85" stroke="#ffffff")", color);
    element("circle",
            fmt::format(R"(cx="{}" cy="{}" r="{}" {})", coordinate(x), coordinate(y), coordinate(radius), ink), hint);
}

void Svg::text(double x, double y, std::string_view text, const TextStyle& style) {
    text_ += fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", coordinate(x), coordinate(y), text_attributes(style),
                         xml_escape(text));
}

void Svg::text_upwards(double x, double y, std::string_view text, const TextStyle& style) {
    text_ += fmt::format("<text transform=\"translate({} {}) rotate(-90)\" {}>{}</text>\n", coordinate(x),
                         coordinate(y), text_attributes(style), xml_escape(text));
}

void Svg::element(std::string_view name, std::string_view attributes, std::string_view hint) {
    if (hint.empty()) {
        text_ += fmt::format("<{} {}/>\n", name, attributes);
    } else {
        text_ += fmt::format("<{0} {1}><title>{2}</title></{0}>\n", name, attributes, xml_escape(hint));
    }
}

}  // namespace tilespmv::tools
