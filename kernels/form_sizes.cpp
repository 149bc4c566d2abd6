#include "kernels/form_sizes.hpp"

#include <fmt/format.h>

namespace tilespmv {

std::int64_t tile_row_count(const Strips& strips) {
    auto count = static_cast<std::int64_t>(strips.tile_rows.size());
    for (const RowRange range : strips.rest) count += div_up(range.end, kTileSize) - range.first / kTileSize;
    return count;
}

template <Value V>
void validate_sizes(const StripMatrix<V>& m) {
    const std::int64_t tile_rows = tile_row_count(m.strips);
    const std::int64_t expected = div_up(m.rows, kTileSize);
    if (tile_rows != expected) throw Error(fmt::format("strips: {} tile rows, expected {}", tile_rows, expected));
    const auto values = static_cast<std::size_t>(m.strips.slots) * kTileSize;
    if (m.values.size() != values) {
        throw Error(fmt::format("strips: {} values, expected {}", m.values.size(), values));
    }
    validate_sizes(m.rest);
}

#define TILESPMV_INSTANTIATE(V) template void validate_sizes(const StripMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
