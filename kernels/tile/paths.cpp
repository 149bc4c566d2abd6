#include "kernels/tile/paths.hpp"

#include <algorithm>

#include "formats/list.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {

template <Value V>
offset_t deferred_nnz(const DeferredCsr<V>& d, std::int64_t tile_row) {
    if (d.nnz() == 0) return 0;
    const auto position = [&](std::int64_t row) { return d.begin(d.first_listed(row)); };
    return position((tile_row + 1) * kTileSize) - position(tile_row * kTileSize);
}

template <Value V>
bool is_dense(const TileMatrix<V>& a, offset_t k) {
    const auto is_full = [](TileEntry entry) {
        return entry.format() == formats::id_of<formats::Dense> && entry.nnz() == TileEntry::kMaxValues;
    };
    return std::all_of(a.tiles.begin() + a.tile_ptrs[k], a.tiles.begin() + a.tile_ptrs[k + 1], is_full) &&
           deferred_nnz(a.deferred, a.tile_rows[k]) == 0;
}

template <Value V>
Paths paths_by_format(const TileMatrix<V>& a) {
    constexpr std::int64_t grain = 1024;
    Paths paths(static_cast<std::size_t>(div_up(a.rows, kTileSize)), Path::tiles);
    parallel_for(0, static_cast<std::int64_t>(a.tile_rows.size()), grain, [&](std::int64_t k) {
        if (is_dense(a, k)) paths[static_cast<std::size_t>(a.tile_rows[k])] = Path::dense;
    });
    return paths;
}

#define TILESPMV_INSTANTIATE(V)                                          \
    template offset_t deferred_nnz(const DeferredCsr<V>&, std::int64_t); \
    template bool is_dense(const TileMatrix<V>&, offset_t);              \
    template Paths paths_by_format(const TileMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
