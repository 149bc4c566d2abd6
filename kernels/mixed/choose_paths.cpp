#include "kernels/mixed/choose_paths.hpp"

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "formats/list.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

/// What a tile row takes tile by tile, in hundredths of the time of a nonzero of csr16. Measured on an H200: per tile
/// row and per nonzero in ell on the three grids of the suite `gpu-classes`, in dense and csr on its matrices of finite
/// elements, in coo and deferred on its uniform and R-MAT matrices; hyb, dense_col and dense_row after what they
/// become.
struct TileCosts {
    int tile_row;
    int ell;
    int filled;  ///< dense and csr: slots with holes
    int entry;
};

template <class V>
constexpr TileCosts kCosts = sizeof(V) == 8   ? TileCosts{6600, 74, 103, 116}
                             : sizeof(V) == 4 ? TileCosts{9300, 72, 117, 122}
                                              : TileCosts{11100, 91, 113, 128};

/// Of a nonzero of a tile in format F.
template <class F, class V>
int cost_of(TileEntry tile) {
    using namespace formats;
    if (std::is_same_v<F, Dense> && tile.nnz() == TileEntry::kMaxValues) return kCosts<V>.ell;
    if (std::is_same_v<F, Coo>) return kCosts<V>.entry;
    if (std::is_same_v<F, Dense> || std::is_same_v<F, Csr>) return kCosts<V>.filled;
    const bool is_full = std::is_same_v<F, Ell> || std::is_same_v<F, DenseCol> || std::is_same_v<F, DenseRow>;
    return is_full ? kCosts<V>.ell : (kCosts<V>.ell + kCosts<V>.entry) / 2;
}

constexpr std::int64_t kGrain = 1024;

/// Nonzeros of the k-th listed tile row, `deferred` of them deferred, if it is faster tile by tile than as csr16,
/// else 0.
template <Value V>
offset_t faster_by_tiles(const TileMatrix<V>& a, offset_t k, offset_t deferred) {
    offset_t nnz = deferred;
    offset_t tiled = kCosts<V>.tile_row + deferred * kCosts<V>.entry;
    for (offset_t t = a.tile_ptrs[k]; t < a.tile_ptrs[k + 1]; ++t) {
        const TileEntry entry = a.tiles[t];
        formats::visit_format(entry.format(),
                              [&]<class F>() { tiled += offset_t{entry.nnz()} * cost_of<F, V>(entry); });
        nnz += entry.nnz();
    }
    return tiled < nnz * 100 ? nnz : 0;
}

}  // namespace

template <Value V>
Paths choose_paths(const TileMatrix<V>& a, offset_t tiles_from) {
    Paths paths(static_cast<std::size_t>(div_up(a.rows, kTileSize)), Path::csr16);
    std::atomic<offset_t> by_tiles = 0;
    parallel_for(0, static_cast<std::int64_t>(a.tile_rows.size()), kGrain, [&](std::int64_t k) {
        Path& path = paths[static_cast<std::size_t>(a.tile_rows[k])];
        const offset_t deferred = deferred_nnz(a.deferred, a.tile_rows[k]);
        if (is_dense(a, k)) {
            path = Path::dense;
        } else if (const offset_t nnz = faster_by_tiles(a, k, deferred); nnz > 0) {
            path = Path::tiles;
            by_tiles += nnz;
        }
    });
    if (by_tiles < tiles_from) std::replace(paths.begin(), paths.end(), Path::tiles, Path::csr16);
    return paths;
}

#define TILESPMV_INSTANTIATE(V) template Paths choose_paths(const TileMatrix<V>&, offset_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
