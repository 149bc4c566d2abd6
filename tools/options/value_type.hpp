#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"
#include "tile/types.hpp"

namespace tilespmv::tools {

/// Calls f.operator()<V>() for the value type of this name, such as "float64". Throws a usage `Error` for any other
/// name.
template <class F>
decltype(auto) with_value_type(std::string_view name, F&& f) {
#define TILESPMV_CALL(V) \
    if (name == value_name<V>()) return f.template operator()<V>();
    TILESPMV_FOR_EACH_VALUE(TILESPMV_CALL)
#undef TILESPMV_CALL
    throw Error(fmt::format("unknown value type '{}'; there are {}", name, fmt::join(kValueNames, ", ")),
                ExitCode::usage);
}

/// The value type that a command works in: the one asked for, else what an archive holds, else float64.
std::string value_type_for(const std::string& source, const std::string& requested);

}  // namespace tilespmv::tools
