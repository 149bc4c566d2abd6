#pragma once

#include <string>
#include <string_view>

#include "tools/picture/picture.hpp"

namespace tilespmv::tools {

/// A text for SVG: what XML would take for its own is escaped, and control characters, which it forbids, become spaces.
std::string xml_escape(std::string_view text);

/// A number as short as its tenths allow.
std::string coordinate(double value);

/// A picture as SVG text: texts stay texts, in system fonts, hints are shown under the mouse, no scripts. Throws
/// `Error` if Cairo fails.
std::string svg(const Picture& picture);

}  // namespace tilespmv::tools
