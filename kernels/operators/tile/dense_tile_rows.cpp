#include "kernels/operators/tile/dense_tile_rows.hpp"

namespace tilespmv::cuda {
namespace {

void add_run(Runs& runs, offset_t first, offset_t end) {
    if (!runs.empty() && runs.back().second == first) {
        runs.back().second = end;
    } else {
        runs.emplace_back(first, end);
    }
}

}  // namespace

template <Value V>
DenseTileRows<V> dense_tile_rows(const TileMatrix<V>& a, const Paths& paths) {
    DenseTileRows<V> dense;
    Runs tile_runs;
    for (std::size_t k = 0; k < a.tile_rows.size(); ++k) {
        if (paths[static_cast<std::size_t>(a.tile_rows[k])] != Path::dense) continue;
        dense.tile_rows.push_back(a.tile_rows[k]);
        dense.tile_ptrs.push_back(dense.tile_ptrs.back() + a.tile_ptrs[k + 1] - a.tile_ptrs[k]);
        add_run(tile_runs, a.tile_ptrs[k], a.tile_ptrs[k + 1]);
        add_run(dense.value_runs, a.value_ptrs[k], a.value_ptrs[k + 1]);
    }
    dense.tiles = take(a.tiles, tile_runs);
    dense.values = take(a.values, dense.value_runs);
    return dense;
}

#define TILESPMV_INSTANTIATE(V) template DenseTileRows<V> dense_tile_rows(const TileMatrix<V>&, const Paths&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
