#pragma once

#include <string_view>

namespace tilespmv {

inline constexpr std::string_view kProfileFormat = "tilespmv-profile";
inline constexpr int kProfileVersion = 8;
inline constexpr int kVersionOfOneCheck = 7;  ///< is read, too; files of others are refused

}  // namespace tilespmv
