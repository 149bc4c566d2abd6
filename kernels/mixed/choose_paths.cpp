#include "kernels/mixed/choose_paths.hpp"

#include <algorithm>
#include <atomic>

#include "formats/list.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

/// Time per byte of a tile in its own routine over that per byte of csr16, in sixteenths (measured on an H200).
template <class F>
constexpr int kSlowness = 96;
template <>
constexpr int kSlowness<formats::Dense> = 16;
template <>
constexpr int kSlowness<formats::Ell> = 18;
template <>
constexpr int kSlowness<formats::Hyb> = 19;
template <>
constexpr int kSlowness<formats::DenseCol> = 18;
template <>
constexpr int kSlowness<formats::DenseRow> = 24;
template <>
constexpr int kSlowness<formats::Csr> = 40;
template <>
constexpr int kSlowness<formats::Coo> = 80;

constexpr int kSlownessOfDeferred = 32;

constexpr std::int64_t kGrain = 1024;

/// Nonzeros of the k-th listed tile row, `deferred` of them deferred, if it is faster tile by tile than as csr16,
/// else 0.
template <Value V>
offset_t faster_by_tiles(const TileMatrix<V>& a, offset_t k, offset_t deferred) {
    offset_t nnz = deferred;
    offset_t tiled = deferred * static_cast<offset_t>(sizeof(V) + sizeof(index_t)) * kSlownessOfDeferred;
    for (offset_t t = a.tile_ptrs[k]; t < a.tile_ptrs[k + 1]; ++t) {
        const TileEntry entry = a.tiles[t];
        const auto bytes = sizeof(TileEntry) + sizeof(V) * static_cast<std::size_t>(entry.values()) +
                           static_cast<std::size_t>(entry.index_bytes());
        formats::visit_format(entry.format(), [&]<class F>() { tiled += static_cast<offset_t>(bytes) * kSlowness<F>; });
        nnz += entry.nnz();
    }
    const offset_t as_csr16 = nnz * static_cast<offset_t>(sizeof(V) + sizeof(std::uint16_t)) * 16;
    return tiled < as_csr16 ? nnz : 0;
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
