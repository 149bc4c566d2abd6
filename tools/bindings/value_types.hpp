#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/types.hpp"

/// Types and sizes that are known when the program runs.
namespace tilespmv::bindings {

/// Calls f.template operator()<V>() for the type of that name.
template <class F>
auto with_value_type(std::string_view name, F&& f) {
#define TILESPMV_CALL(V) \
    if (name == value_name<V>()) return f.template operator()<V>();
    TILESPMV_FOR_EACH_VALUE(TILESPMV_CALL)
#undef TILESPMV_CALL
    throw Error(fmt::format("values of {}: expected {}", name, fmt::join(kValueNames, ", ")), ExitCode::usage);
}

inline index_t as_size(std::int64_t n, const char* what) {
    if (n < 0 || n > std::numeric_limits<index_t>::max()) {
        throw Error(fmt::format("a matrix of {} {}, where at most 2147483647 are supported", n, what), ExitCode::usage);
    }
    return static_cast<index_t>(n);
}

}  // namespace tilespmv::bindings
