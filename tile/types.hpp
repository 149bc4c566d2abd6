#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#if defined(__CUDACC__)
#define TILESPMV_HD __host__ __device__
#else
#define TILESPMV_HD
#endif

namespace tilespmv {

using index_t = std::int32_t;   ///< a row or a column; dimensions reach 2^31 - 1
using offset_t = std::int64_t;  ///< a position among nonzeros, values or bytes

/// Edge of a tile. Local rows and columns fit in 4 bits.
inline constexpr int kTileSize = 16;

/// Number of tiles (or other groups of `b`) that cover `a` elements.
constexpr std::int64_t div_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Types a matrix may hold. Sums are accumulated in `double` for both.
template <class V>
concept Value = std::same_as<V, double> || std::same_as<V, float>;

/// Name of a value type in files and on the command line.
template <class V>
constexpr std::string_view value_name();
template <>
constexpr std::string_view value_name<double>() {
    return "float64";
}
template <>
constexpr std::string_view value_name<float>() {
    return "float32";
}

}  // namespace tilespmv
