#pragma once

#include <string_view>

namespace tilespmv {

inline constexpr std::string_view kProfileFormat = "tilespmv-profile";
inline constexpr int kProfileVersion = 1;  ///< a file of a higher one is refused

}  // namespace tilespmv
