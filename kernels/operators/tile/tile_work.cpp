#include "kernels/operators/tile/tile_work.hpp"

#include <span>
#include <string>

#include "formats/list.hpp"

namespace tilespmv::cuda {

template <Value V>
TileWork<V> make_tile_work(const TileMatrix<V>& m, const Paths& paths, const Gpu& gpu) {
    TileWork<V> work;
    work.dense = dense_tile_rows(m, paths);
    const auto dense_tiles = static_cast<offset_t>(work.dense.tiles.size());
    work.dense_runs = make_dense_runs(work.dense.tile_rows, work.dense.tile_ptrs, dense_run_tiles(dense_tiles, gpu));
    work.limits = slot_limits(m.nnz - work.dense.nnz(), div_up(m.rows, kTileSize), gpu);
    work.slots = make_slots(m, paths, work.limits, m.values, m.deferred.values);
    return work;
}

template <Value V>
void add_executed(const TileWork<V>& work, ExecutedParts& parts) {
    const auto& dense = work.dense;
    parts.add({{"tiles", std::string(formats::Dense::name), static_cast<offset_t>(dense.tile_rows.size()), dense.nnz(),
                dense.tiles.bytes() + dense.values.bytes() + std::as_bytes(std::span(work.dense_runs.runs)).size()}},
              0);
    parts.add(work.slots.executed, work.slots.items.bytes() + work.slots.entry_ends.bytes());
}

#define TILESPMV_INSTANTIATE(V)                                                          \
    template TileWork<V> make_tile_work(const TileMatrix<V>&, const Paths&, const Gpu&); \
    template void add_executed(const TileWork<V>&, ExecutedParts&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
