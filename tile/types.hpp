#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "tile/half.hpp"

namespace tilespmv {

using index_t = std::int32_t;   ///< a row or a column; dimensions reach 2^31 - 1
using offset_t = std::int64_t;  ///< a position among nonzeros, values or bytes

/// Edge of a tile. Local rows and columns fit in 4 bits.
inline constexpr int kTileSize = 16;

/// ceil(a / b) for a >= 0 and b > 0: number of tiles (or other groups of `b`) that cover `a` elements.
constexpr std::int64_t div_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Calls X(V) for every type of values that a matrix may hold: the one list of them, from which explicit
/// instantiations and the names below derive.
#define TILESPMV_FOR_EACH_VALUE(X) X(double) X(float) X(Half) X(Bfloat16)

/// Types a matrix may hold. Those of 16 bits only store; sums are accumulated in double or float.
template <class V>
concept Value = std::same_as<V, double> || std::same_as<V, float> || std::same_as<V, Half> || std::same_as<V, Bfloat16>;

/// Types of values that a CPU multiplies.
template <class V>
concept CpuValue = std::floating_point<V> && Value<V>;

/// Name of a value type in files and on the command line.
template <Value V>
constexpr std::string_view value_name() {
    if constexpr (std::same_as<V, double>) return "float64";
    if constexpr (std::same_as<V, float>) return "float32";
    if constexpr (std::same_as<V, Half>) return "float16";
    if constexpr (std::same_as<V, Bfloat16>) return "bfloat16";
    // A type of the list without a name here is an error of the compiler: nothing is returned.
}

#define TILESPMV_NAME(V) value_name<V>(),
inline constexpr std::array kValueNames{TILESPMV_FOR_EACH_VALUE(TILESPMV_NAME)};
#undef TILESPMV_NAME

/// The same number in a type that computes and prints: double or float as they are, 16 bits as float.
template <std::floating_point V>
constexpr V widened(V value) {
    return value;
}
template <int kExponentBits>
float widened(Float16<kExponentBits> value) {
    return static_cast<float>(value);
}

}  // namespace tilespmv
