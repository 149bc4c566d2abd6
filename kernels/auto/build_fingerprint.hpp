#pragma once

#include <string_view>

namespace tilespmv {

/// Of the sources of the library, 12 hexadecimal digits: times that one build has measured may be wrong for another.
std::string_view build_fingerprint();

}  // namespace tilespmv
