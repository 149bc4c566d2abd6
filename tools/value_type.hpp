#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/types.hpp"

namespace tilespmv::tools {

/// Calls f.operator()<V>() for the value type of this name ("float64", "float32"). Throws a usage `Error` for any
/// other name.
template <class F>
decltype(auto) with_value_type(std::string_view name, F&& f) {
    if (name == value_name<double>()) return f.template operator()<double>();
    if (name == value_name<float>()) return f.template operator()<float>();
    throw Error(
        fmt::format("unknown value type '{}'; there are {}, {}", name, value_name<double>(), value_name<float>()),
        ExitCode::usage);
}

/// The value type that a command works in: the one asked for, else what an archive holds, else float64.
std::string value_type_for(const std::string& source, const std::string& requested);

}  // namespace tilespmv::tools
