#include "kernels/operators/tile/tile_work.hpp"

#include <span>
#include <string>

#include "formats/list.hpp"

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
    template DenseTileRows<V> dense_tile_rows(const TileMatrix<V>&, const Paths&);       \
    template TileWork<V> make_tile_work(const TileMatrix<V>&, const Paths&, const Gpu&); \
    template void add_executed(const TileWork<V>&, ExecutedParts&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
