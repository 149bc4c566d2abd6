#include "kernels/cuda/tile_work.hpp"

namespace tilespmv::cuda {

template <Value V>
TileWork<V> take_apart(const CsrMatrix<V>& csr, const TileMatrix<V>& m, const Paths& paths, GpuSize gpu) {
    TileWork<V> work;
    work.dense = subset(m, paths, Path::dense);
    const auto dense_tiles = static_cast<offset_t>(work.dense.matrix.tiles.size());
    work.dense_runs = make_dense_runs(work.dense.matrix, dense_run_tiles(dense_tiles, gpu.multiprocessors));
    work.tiles = subset(m, paths, Path::tiles);
    const offset_t tiled = work.tiles.matrix.nnz;
    work.schedule =
        make_schedule(work.tiles.matrix, paths, limits_for(tiled, offset_t{gpu.multiprocessors} * gpu.warps));
    const offset_t batched = m.nnz - work.dense.matrix.nnz - tiled;
    work.batch = make_batch(csr, paths, batch_limits(batched, gpu.multiprocessors));
    if (batched < m.nnz) work.batch_values = in_batch(work.batch, csr.values);
    return work;
}

#define TILESPMV_INSTANTIATE(V) \
    template TileWork<V> take_apart(const CsrMatrix<V>&, const TileMatrix<V>&, const Paths&, GpuSize);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
