#include "kernels/tile/tile_work.hpp"

#include <span>

namespace tilespmv::cuda {

template <Value V>
TileWork<V> make_tile_work(const TileMatrix<V>& m, const Paths& paths, const Gpu& gpu) {
    TileWork<V> work;
    work.dense = subset(m, paths, Path::dense);
    const auto dense_tiles = static_cast<offset_t>(work.dense.matrix.tiles.size());
    const auto& tile_rows = work.dense.matrix.tile_rows;
    const auto& tile_ptrs = work.dense.matrix.tile_ptrs;
    work.dense_runs = make_dense_runs({tile_rows.data(), tile_rows.size()}, {tile_ptrs.data(), tile_ptrs.size()},
                                      dense_run_tiles(dense_tiles, gpu));
    work.limits = slot_limits(m.nnz - work.dense.matrix.nnz, div_up(m.rows, kTileSize), gpu);
    work.slots = make_slots(m, paths, work.limits, m.values, m.deferred.values);
    return work;
}

template <Value V>
void add_executed(const TileWork<V>& work, ExecutedParts& parts) {
    parts.add(executed_tiles(work.dense.matrix, 0), std::as_bytes(std::span(work.dense_runs.runs)).size());
    parts.add(work.slots.executed, work.slots.items.bytes() + work.slots.entry_ends.bytes());
}

#define TILESPMV_INSTANTIATE(V)                                                          \
    template TileWork<V> make_tile_work(const TileMatrix<V>&, const Paths&, const Gpu&); \
    template void add_executed(const TileWork<V>&, ExecutedParts&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
