#pragma once

#include <string>
#include <type_traits>

#include "kernels/cuda/device_operator.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {

/// Calls f.operator()<A>() for the type of an accumulator. Throws a usage `Error` for one narrower than V, which would
/// lose what the values hold, and for float64 on values of 16 bits.
template <class V, class F>
decltype(auto) with_accumulator(Accumulator accumulator, F&& f) {
    const auto refuse = [](const char* type) {
        throw Error("values of " + std::string(value_name<V>()) + " cannot be accumulated in " + type, ExitCode::usage);
    };
    if constexpr (std::is_same_v<V, double>) {
        if (accumulator == Accumulator::float32) refuse("float32");
        return f.template operator()<double>();
    } else if constexpr (std::is_same_v<V, float>) {
        if (accumulator == Accumulator::float32) return f.template operator()<float>();
        return f.template operator()<double>();
    } else {
        if (accumulator == Accumulator::float64) refuse("float64");
        return f.template operator()<float>();
    }
}

/// What V is accumulated in if nobody asks for anything else.
template <class V>
constexpr Accumulator default_accumulator() {
    return sizeof(V) >= sizeof(float) ? Accumulator::float64 : Accumulator::float32;
}

}  // namespace tilespmv::cuda
