#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/split_row.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// Consecutive dense tiles of one tile row, which a block multiplies.
struct DenseRun {
    std::int64_t first_tile = 0;  ///< its values begin at 256 times that
    std::uint32_t tiles = 0;
    std::uint32_t tile_row = 0;
    std::int32_t partial = -1;  ///< position of its partial sums, in sixteens, -1: the block writes y itself
    std::int32_t split = -1;    ///< position in `DenseRuns::splits`
};
static_assert(sizeof(DenseRun) == 24);

/// The tile rows of nothing but full dense tiles.
struct DenseRuns {
    std::vector<DenseRun> runs;
    std::vector<SplitRow> splits;
    std::uint32_t partials = 0;  ///< partial sums that runs of split tile rows leave, in sixteens
};

/// Runs of at most `run_tiles` tiles, for tile rows of nothing but full dense tiles of 16 x 16. `tile_ptrs`: the first
/// tile of each, at least one, with the end.
DenseRuns make_dense_runs(std::span<const index_t> tile_rows, std::span<const offset_t> tile_ptrs, offset_t run_tiles);

}  // namespace tilespmv::cuda
