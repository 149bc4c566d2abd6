#include "kernels/tile/dense_runs.hpp"

namespace tilespmv::cuda {

template <Value V>
DenseRuns make_dense_runs(const TileMatrix<V>& a, offset_t run_tiles) {
    DenseRuns d;
    for (std::size_t k = 0; k < a.tile_rows.size(); ++k) {
        const offset_t first = a.tile_ptrs[k];
        const offset_t tiles = a.tile_ptrs[k + 1] - first;
        const offset_t count = div_up(tiles, run_tiles);
        for (offset_t i = 0; i < count; ++i) {
            DenseRun run;
            run.first_tile = first + tiles * i / count;
            run.tiles = static_cast<std::uint32_t>(first + tiles * (i + 1) / count - run.first_tile);
            run.tile_row = static_cast<std::uint32_t>(a.tile_rows[k]);
            if (count > 1) {
                run.partial = static_cast<std::int32_t>(d.partials + i);
                run.split = static_cast<std::int32_t>(d.splits.size());
            }
            d.runs.push_back(run);
        }
        if (count == 1) continue;
        d.splits.push_back({d.partials, static_cast<std::uint32_t>(count)});
        d.partials += static_cast<std::uint32_t>(count);
    }
    return d;
}

#define TILESPMV_INSTANTIATE(V) template DenseRuns make_dense_runs(const TileMatrix<V>&, offset_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
