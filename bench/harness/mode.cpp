#include "bench/harness/mode.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv::bench {

Mode find_mode(std::string_view name) {
    const auto* found = std::ranges::find(kModes, name, mode_name);
    if (found != kModes.end()) return *found;
    throw Error(fmt::format("unknown mode '{}'; there are {}", name, fmt::join(kModeNames, ", ")), ExitCode::usage);
}

}  // namespace tilespmv::bench
