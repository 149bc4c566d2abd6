#include "formats/list.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv::formats {

std::span<const FormatInfo> format_table() { return detail::kTable; }

std::optional<TileSize> size_in(int format, const TilePattern& pattern, int value_bytes) {
    std::optional<TileSize> size;
    visit_format(format, [&]<class F>() { size = F::size(pattern, value_bytes); });
    return size;
}

int format_id(std::string_view name) {
    std::vector<std::string_view> names;
    for (const auto& format : format_table()) {
        if (format.name == name) return static_cast<int>(names.size());
        names.push_back(format.name);
    }
    throw Error(fmt::format("unknown format '{}'; there are {}", name, fmt::join(names, ", ")), ExitCode::usage);
}

}  // namespace tilespmv::formats
