#include "kernels/mixed/mixed_work.hpp"

#include <gtest/gtest.h>

#include "selector/policy.hpp"
#include "tests/support/tile_rows.hpp"

namespace tilespmv::testing {
namespace {

using cuda::Path;
using cuda::Paths;

const cuda::Gpu kSmallGpu{.multiprocessors = 1, .warps = 2};

// A dense tile row, one of ell and one of scattered nonzeros, as the GPU takes them.
TEST(MixedWork, TakesAMatrixApartByThePathsOfItsTileRows) {
    auto positions = positions_of(blocks(32, 3));
    for (index_t r = 32; r < 48; ++r) positions.insert({r, r});
    const auto a = matrix_of(48, 48, positions);
    const auto m = convert(a, *make_policy("paper"));
    const Paths paths{Path::dense, Path::tiles, Path::csr16};
    const auto work = cuda::take_apart(a, m, paths, kSmallGpu);
    EXPECT_EQ(unpack(work.tiled.dense.matrix), rows_of(a, paths, Path::dense));
    EXPECT_EQ(work.tiled.slots.nnz, 768);
    EXPECT_EQ(work.csr16_values, rows_of(a, paths, Path::csr16).values);
    EXPECT_EQ(work.values_of_csr16(a), work.csr16_values);
    EXPECT_EQ(work.tiled.dense_runs.runs.size(), 1u);
    EXPECT_EQ(work.tiled.slots.items.size(), 3u) << "256 nonzeros each";
    EXPECT_EQ(work.csr16.nonzeros, 16);
    EXPECT_EQ(work.csr16.blocks.size(), 1u);
}

TEST(MixedWork, KeepsNoCopyOfTheValuesIfAllIsCsr16) {
    const auto a = matrix_of(20, 20, {{0, 3}, {19, 19}});
    const auto m = convert(a, *make_policy("paper"));
    const auto work = cuda::take_apart(a, m, Paths(2, Path::csr16), kSmallGpu);
    EXPECT_TRUE(work.csr16_values.empty());
    EXPECT_EQ(work.values_of_csr16(a), a.values);
    EXPECT_TRUE(work.tiled.dense_runs.runs.empty());
    EXPECT_TRUE(work.tiled.slots.items.empty());
}

// The work of csr16, not of the whole matrix, says how it is cut.
TEST(MixedWork, CutsCsr16ByItsOwnNonzeros) {
    auto positions = positions_of(blocks(16, 32));
    for (index_t r = 16; r < 272; ++r) positions.insert({r, r});
    const auto a = matrix_of(272, 512, positions);
    const auto m = convert(a, *make_policy("paper"));
    Paths paths(17, Path::csr16);
    paths[0] = Path::dense;
    const auto work = cuda::take_apart(a, m, paths, kSmallGpu);
    EXPECT_EQ(work.csr16.blocks.size(), 2u) << "256 nonzeros, 128 a block";
}

}  // namespace
}  // namespace tilespmv::testing
