#include "selector/paths.hpp"

#include <algorithm>
#include <atomic>

#include "formats/list.hpp"
#include "tile/parallel.hpp"
#include "tile/statistics.hpp"

namespace tilespmv {
namespace {

constexpr std::int64_t kGrain = 1024;

/// Deferred nonzeros of a tile row.
template <Value V>
offset_t deferred_nnz(const DeferredCsr<V>& d, std::int64_t tile_row) {
    if (d.nnz() == 0) return 0;
    const auto position = [&](std::int64_t row) { return d.begin(d.first_listed(row)); };
    return position((tile_row + 1) * kTileSize) - position(tile_row * kTileSize);
}

bool is_full_dense(TileEntry entry) {
    return entry.format() == formats::id_of<formats::Dense> && entry.nnz() == TileEntry::kMaxValues;
}

/// Whether the k-th listed tile row consists of full dense tiles and defers nothing.
template <Value V>
bool is_dense(const TileMatrix<V>& a, offset_t k) {
    return std::all_of(a.tiles.begin() + a.tile_ptrs[k], a.tiles.begin() + a.tile_ptrs[k + 1], is_full_dense) &&
           deferred_nnz(a.deferred, a.tile_rows[k]) == 0;
}

/// Nonzeros of a tile of so many rows that become entries.
int scattered_nnz(TileEntry tile, int rows) {
    using namespace formats;
    if (tile.format() == id_of<Coo>) return Coo::is_diagonal(tile) ? 0 : tile.nnz();
    return tile.format() == id_of<Hyb> ? Hyb::coo_nnz(rows, tile) : 0;
}

}  // namespace

template <Value V>
double scattered_share(const TileMatrix<V>& a) {
    std::atomic<offset_t> scattered = a.deferred.nnz();
    parallel_for(0, static_cast<std::int64_t>(a.tile_rows.size()), kGrain, [&](std::int64_t k) {
        const int rows = a.tile_height(a.tile_rows[k]);
        offset_t of_tile_row = 0;
        for (offset_t t = a.tile_ptrs[k]; t < a.tile_ptrs[k + 1]; ++t) of_tile_row += scattered_nnz(a.tiles[t], rows);
        scattered += of_tile_row;
    });
    return share(scattered, a.nnz);
}

template <Value V>
Paths paths_by_format(const TileMatrix<V>& a) {
    Paths paths(static_cast<std::size_t>(div_up(a.rows, kTileSize)), Path::tiles);
    parallel_for(0, static_cast<std::int64_t>(a.tile_rows.size()), kGrain, [&](std::int64_t k) {
        if (is_dense(a, k)) paths[static_cast<std::size_t>(a.tile_rows[k])] = Path::dense;
    });
    return paths;
}

#define TILESPMV_INSTANTIATE(V)                           \
    template Paths paths_by_format(const TileMatrix<V>&); \
    template double scattered_share(const TileMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
