#include "kernels/cuda/tile_work.hpp"

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

#define TILESPMV_INSTANTIATE(V) template TileWork<V> make_tile_work(const TileMatrix<V>&, const Paths&, GpuSize);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
