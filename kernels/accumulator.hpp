#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "tile/error.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// The type in which an operator sums up.
enum class Accumulator { float32, float64 };

/// Its name on the command line and in files: "float32" or "float64".
constexpr std::string_view accumulator_name(Accumulator accumulator) {
    return accumulator == Accumulator::float32 ? value_name<float>() : value_name<double>();
}

/// Of a number of its type.
constexpr std::size_t accumulator_bytes(Accumulator accumulator) {
    return accumulator == Accumulator::float32 ? sizeof(float) : sizeof(double);
}

/// What V is accumulated in if nobody asks for anything else.
template <class V>
constexpr Accumulator default_accumulator() {
    return sizeof(V) >= sizeof(float) ? Accumulator::float64 : Accumulator::float32;
}

/// Calls f.operator()<A>() for the type of an accumulator. Throws a usage `Error` for one narrower than V, which would
/// lose what the values hold, and for float64 on values of 16 bits.
template <class V, class F>
decltype(auto) with_accumulator(Accumulator accumulator, F&& f) {
    const auto refuse = [&] {
        throw Error("values of " + std::string(value_name<V>()) + " cannot be accumulated in " +
                        std::string(accumulator_name(accumulator)),
                    ExitCode::usage);
    };
    if constexpr (std::is_same_v<V, double>) {
        if (accumulator == Accumulator::float32) refuse();
        return f.template operator()<double>();
    } else if constexpr (std::is_same_v<V, float>) {
        if (accumulator == Accumulator::float32) return f.template operator()<float>();
        return f.template operator()<double>();
    } else {
        if (accumulator == Accumulator::float64) refuse();
        return f.template operator()<float>();
    }
}

}  // namespace tilespmv
