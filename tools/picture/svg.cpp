// Not written by Cairo: its SVG surface turns texts into outlines.
#include "tools/picture/svg.hpp"

#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tools/picture/base64.hpp"
#include "tools/picture/png.hpp"

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

std::string element(std::string_view name, std::string_view attributes) {
    return fmt::format("<{} {}/>\n", name, attributes);
}

std::string written(const Picture::Rectangle& r) {
    return element("rect", fmt::format(R"(x="{}" y="{}" width="{}" height="{}" fill="{}")", coordinate(r.x),
                                       coordinate(r.y), coordinate(r.width), coordinate(r.height), hex(r.color)));
}

std::string written(const Picture::Text& text) {
    return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}>{}</text>\n",
                       coordinate(text.x), coordinate(text.y), coordinate(text.style.size), hex(text.style.color),
                       anchor_name(text.style.anchor), text.style.bold ? R"( font-weight="600")" : "",
                       xml_escape(text.text));
}

/// A path for each colour.
std::string as_paths(const Picture::Pixels& pixels) {
    std::map<std::string, std::string> paths;
    for (const Block& b : blocks(pixels.image)) {
        paths[hex(b.color)] += fmt::format("M{} {}h{}v{}h-{}z", b.x, b.y, b.width, b.height, b.width);
    }
    std::string text = fmt::format("<g transform=\"translate({} {})\" shape-rendering=\"crispEdges\">\n",
                                   coordinate(pixels.x), coordinate(pixels.y));
    for (const auto& [color, path] : paths) text += fmt::format("<path fill=\"{}\" d=\"{}\"/>\n", color, path);
    return text + "</g>\n";
}

std::string as_png(const Picture::Pixels& pixels) {
    return element("image", fmt::format(R"(x="{}" y="{}" width="{}" height="{}" image-rendering="pixelated" )"
                                        R"(href="data:image/png;base64,{}")",
                                        coordinate(pixels.x), coordinate(pixels.y), pixels.image.width(),
                                        pixels.image.height(), base64(png(pixels.image))));
}

/// Few pixels of a kind next to each other are shorter as a PNG, few large areas as paths.
std::string written(const Picture::Pixels& pixels) {
    std::string paths = as_paths(pixels);
    std::string png = as_png(pixels);
    return paths.size() <= png.size() ? paths : png;
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

std::string svg(const Picture& picture) {
    std::string text = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img")"
        R"( font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif">)"
        "\n<title>{2}</title>\n",
        coordinate(picture.width()), coordinate(picture.height()), xml_escape(picture.title()));
    text += written(Picture::Rectangle{0, 0, picture.width(), picture.height(), kWhite});
    for (const auto& e : picture.elements()) text += std::visit([](const auto& kind) { return written(kind); }, e);
    return text + "</svg>\n";
}

}  // namespace tilespmv::tools
