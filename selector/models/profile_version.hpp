#pragma once

#include <string_view>

namespace tilespmv {

inline constexpr std::string_view kProfileFormat = "tilespmv-profile";
inline constexpr int kProfileVersion = 11;  ///< files of others are refused

}  // namespace tilespmv
