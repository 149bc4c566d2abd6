#include "tools/view/page_template.hpp"

namespace tilespmv::tools {
namespace {

/// Appends the text of a template up to a mark and what takes its place; the template begins behind the mark then.
void fill(std::string& page, std::string_view& rest, std::string_view mark, std::string_view by) {
    const auto at = rest.find(mark);
    page.append(rest.substr(0, at)).append(by);
    rest.remove_prefix(at + mark.size());
}

}  // namespace

std::string fill_page(const PageParts& parts, std::string_view data) {
    std::string page;
    std::string_view rest = parts.html;
    fill(page, rest, "{{style}}", parts.style);
    fill(page, rest, "{{data}}", data);
    fill(page, rest, "{{script}}", parts.script);
    return page.append(rest);
}

std::string inert(const std::string& json) {
    std::string text;
    text.reserve(json.size());
    for (const char c : json) {
        if (c == '<') {
            text += "\\u003c";
        } else if (c == '>') {
            text += "\\u003e";
        } else if (c == '&') {
            text += "\\u0026";
        } else {
            text += c;
        }
    }
    return text;
}

}  // namespace tilespmv::tools
