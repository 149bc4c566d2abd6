#include "formats/list.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv::formats {

int format_id(std::string_view name) {
    std::vector<std::string_view> names;
    for (const auto& format : format_table()) {
        if (format.name == name) return static_cast<int>(names.size());
        names.push_back(format.name);
    }
    throw Error(fmt::format("unknown format '{}'; there are {}", name, fmt::join(names, ", ")), ExitCode::usage);
}

}  // namespace tilespmv::formats
