#pragma once

#include <string>
#include <string_view>

namespace tilespmv::tools {

/// A page whose parts are files that the build embeds (`embed.cmake`).
struct PageParts {
    std::string_view html;    ///< with {{style}}, {{data}} and {{script}}, in this order
    std::string_view style;   ///< CSS
    std::string_view script;  ///< JavaScript, all files in their order
};

/// The page with this data, which must not end the element that it stands in.
std::string fill_page(const PageParts& parts, std::string_view data);

/// What is the same in JSON, but cannot end an element of HTML or begin one: it contains none of < > &.
std::string inert(const std::string& json);

}  // namespace tilespmv::tools
