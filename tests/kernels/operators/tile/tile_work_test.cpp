#include "kernels/operators/tile/tile_work.hpp"

#include <gtest/gtest.h>

#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tests/support/tile_rows.hpp"

namespace tilespmv::testing {
namespace {

TEST(DenseTileRows, AreThoseWhosePathIsDense) {
    auto positions = positions_of(blocks(80, 2));
    positions.erase({20, 5});
    const auto csr = matrix_of(80, 64, positions);
    const auto m = convert(csr, *make_policy("paper"));
    const auto paths = paths_by_format(m);
    ASSERT_EQ(paths, (Paths{Path::dense, Path::tiles, Path::dense, Path::dense, Path::dense}));
    const auto dense = cuda::dense_tile_rows(m, paths);
    EXPECT_EQ(dense.tile_rows, (std::vector<index_t>{0, 2, 3, 4}));
    EXPECT_EQ(dense.tile_ptrs, (std::vector<offset_t>{0, 2, 4, 6, 8}));
    EXPECT_EQ(dense.nnz(), 8 * 256);
    ASSERT_EQ(dense.tiles.size(), 8u);
    EXPECT_EQ(dense.tiles[2].column(), 0);
    EXPECT_EQ(dense.tiles[3].column(), 1);
    EXPECT_EQ(dense.value_runs.size(), 2u) << "before and behind the tile row that is not";
    EXPECT_EQ(dense.values, cuda::take(m.values, dense.value_runs));
    EXPECT_EQ(dense.values[2 * 256], csr.values[csr.row_ptrs[32]]) << "the first of the third tile row";
}

TEST(TileWork, HasTheLimitsOfWhatIsNotDense) {
    auto positions = positions_of(blocks(32, 40));
    for (index_t k = 0; k < 2000; ++k) positions.insert({32 + k % 16, 3 * k / 16});
    const auto m = convert(matrix_of(48, 640, positions), *make_policy("paper"));
    const auto paths = paths_by_format(m);
    ASSERT_EQ(paths, (Paths{Path::dense, Path::dense, Path::tiles}));
    Gpu gpu{.multiprocessors = 1, .warps = 1};
    gpu.tuning.slots = {
        .items_per_warp = 4, .min_item = 1, .max_item = 4096, .max_half_item = 7, .tile_rows_per_warp = 3};
    const auto work = cuda::make_tile_work(m, paths, gpu);
    EXPECT_EQ(work.limits.item_values, 500);
    EXPECT_EQ(work.limits.half_values, 7);
}

/// Every run of a split tile row has partial sums of its own, and all of them are those of its split, in order.
void expect_partials(const cuda::DenseRuns& d) {
    std::vector<std::uint32_t> seen(d.splits.size(), 0);
    for (const auto& run : d.runs) {
        ASSERT_EQ(run.partial >= 0, run.split >= 0);
        if (run.partial < 0) continue;
        const auto split = static_cast<std::size_t>(run.split);
        EXPECT_EQ(static_cast<std::uint32_t>(run.partial), d.splits.at(split).first_partial + seen[split]++);
    }
    std::uint32_t partials = 0;
    for (std::size_t i = 0; i < d.splits.size(); ++i) {
        EXPECT_EQ(seen[i], d.splits[i].partials);
        EXPECT_EQ(d.splits[i].first_partial, partials);
        partials += d.splits[i].partials;
    }
    EXPECT_EQ(d.partials, partials);
}

TEST(DenseRuns, CoverTheTilesOfATileRowInOrder) {
    constexpr offset_t limit = 4;
    for (const index_t tiles : {1, 4, 5, 19}) {
        const auto m = convert(blocks(32, tiles), *make_policy("paper"));
        const auto d = cuda::make_dense_runs({m.tile_rows.data(), m.tile_rows.size()},
                                             {m.tile_ptrs.data(), m.tile_ptrs.size()}, limit);
        offset_t next = 0;
        for (const auto& run : d.runs) {
            EXPECT_EQ(run.first_tile, next);
            EXPECT_EQ(run.tile_row, next / tiles);
            EXPECT_LE(run.tiles, limit);
            EXPECT_EQ(run.partial >= 0, tiles > limit);
            next += run.tiles;
        }
        EXPECT_EQ(next, static_cast<offset_t>(m.tiles.size()));
        expect_partials(d);
    }
}

}  // namespace
}  // namespace tilespmv::testing
