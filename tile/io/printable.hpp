#pragma once

#include <string>
#include <string_view>

namespace tilespmv {

/// A text that can be shown on a terminal and is valid UTF-8: what is no printable character, controls and stray bytes,
/// is written as \n, \x1b, \xff, \u202e. Done twice it does no more than once.
std::string printable(std::string_view text);

/// As `printable`, but different texts stay different: backslashes and quotes get a backslash, too.
std::string escaped(std::string_view text);

}  // namespace tilespmv
