#include "kernels/operators/tile/dense_runs.hpp"

namespace tilespmv::cuda {

DenseRuns make_dense_runs(std::span<const index_t> tile_rows, std::span<const offset_t> tile_ptrs, offset_t run_tiles) {
    DenseRuns d;
    for (std::size_t k = 0; k < tile_rows.size(); ++k) {
        const offset_t first = tile_ptrs[k];
        const offset_t tiles = tile_ptrs[k + 1] - first;
        const offset_t count = div_up(tiles, run_tiles);
        for (offset_t i = 0; i < count; ++i) {
            DenseRun run;
            run.first_tile = first + tiles * i / count;
            run.tiles = static_cast<std::uint32_t>(first + tiles * (i + 1) / count - run.first_tile);
            run.tile_row = static_cast<std::uint32_t>(tile_rows[k]);
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

}  // namespace tilespmv::cuda
