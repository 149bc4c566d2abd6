#pragma once

#include <string_view>

namespace tilespmv {

inline constexpr std::string_view kProfileFormat = "tilespmv-profile";
inline constexpr int kProfileVersion = 7;  ///< a file of another one is refused

}  // namespace tilespmv
