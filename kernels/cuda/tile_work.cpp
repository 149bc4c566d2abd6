#include "kernels/cuda/tile_work.hpp"

#include <span>

namespace tilespmv::cuda {

template <Value V>
TileWork<V> make_tile_work(const TileMatrix<V>& m, const Paths& paths, GpuSize gpu) {
    TileWork<V> work;
    work.dense = subset(m, paths, Path::dense);
    const auto dense_tiles = static_cast<offset_t>(work.dense.matrix.tiles.size());
    work.dense_runs = make_dense_runs(work.dense.matrix, dense_run_tiles(dense_tiles, gpu.multiprocessors));
    work.tiles = subset(m, paths, Path::tiles);
    work.schedule = make_schedule(work.tiles.matrix, paths,
                                  limits_for(work.tiles.matrix.nnz, offset_t{gpu.multiprocessors} * gpu.warps));
    return work;
}

template <Value V>
void add_executed(const TileWork<V>& work, ExecutedParts& parts) {
    const auto bytes = [](const auto& array) { return std::as_bytes(std::span(array)).size(); };
    parts.add(executed_tiles(work.dense.matrix, 0), bytes(work.dense_runs.runs));
    const DeferredCsr<V>& d = work.tiles.matrix.deferred;
    const Schedule& s = work.schedule;
    parts.add(executed_tiles(work.tiles.matrix, bytes(s.deferred_ends) + d.col_idxs.bytes() + d.values.bytes()),
              bytes(s.items) + bytes(s.chunks));
}

#define TILESPMV_INSTANTIATE(V)                                                       \
    template TileWork<V> make_tile_work(const TileMatrix<V>&, const Paths&, GpuSize); \
    template void add_executed(const TileWork<V>&, ExecutedParts&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
