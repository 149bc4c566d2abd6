#include "bench/harness/mode.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv::bench {

std::string_view mode_name(Mode mode) {
    switch (mode) {
        case Mode::warm:
            return "warm";
        case Mode::cold:
            return "cold";
        case Mode::graph:
            return "graph";
        case Mode::chain:
            return "chain";
        case Mode::axpy:
            break;
    }
    return "axpy";
}

Mode find_mode(std::string_view name) {
    const auto* found = std::ranges::find(kModes, name, mode_name);
    if (found != kModes.end()) return *found;
    std::vector<std::string_view> names;
    for (const Mode mode : kModes) names.push_back(mode_name(mode));
    throw Error(fmt::format("unknown mode '{}'; there are {}", name, fmt::join(names, ", ")), ExitCode::usage);
}

}  // namespace tilespmv::bench
