#include "selector/paths.hpp"

#include <gtest/gtest.h>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/tile_rows.hpp"

namespace tilespmv::testing {
namespace {

TEST(Paths, AreDenseOrTilesByFormat) {
    const auto full = convert(blocks(32, 3), *make_policy("paper"));
    EXPECT_EQ(paths_by_format(full), Paths(2, Path::dense));
    const auto small = convert(matrix_of(64, 64, {{0, 0}, {1, 1}, {40, 2}}), *make_policy("paper"));
    EXPECT_EQ(paths_by_format(small), Paths(4, Path::tiles));
}

TEST(ScatteredShare, IsOfDeferredNonzerosAndOfTilesThatBecomeEntries) {
    const auto share_by = [](const CsrMatrix<double>& a, const char* selector) {
        return scattered_share(convert(a, *make_policy(selector)));
    };
    auto positions = positions_of(blocks(16, 1));
    for (index_t k = 0; k < 64; ++k) positions.insert({(5 * k) % 16, 16 + 16 * (k % 8) + k / 8});
    const auto half = matrix_of(16, 160, positions);  // a full tile, and eight of 8 nonzeros
    EXPECT_DOUBLE_EQ(share_by(half, "paper"), 64.0 / 320);
    EXPECT_DOUBLE_EQ(share_by(half, "paper-deferred"), 64.0 / 320);
    EXPECT_EQ(share_by(half, "only:csr"), 0);
    EXPECT_EQ(share_by(half, "only:coo"), 1);
    EXPECT_EQ(share_by(matrix_of(16, 16, {{0, 0}, {1, 1}, {2, 2}, {3, 3}}), "only:coo"), 0) << "a diagonal is a slot";
    EXPECT_EQ(share_by(matrix_of(16, 16, {}), "paper"), 0);
}

TEST(Paths, OnlyFullDenseTileRowsWithoutDeferredNonzerosAreDense) {
    const auto low = convert(blocks(30, 3), *make_policy("paper"));
    EXPECT_EQ(paths_by_format(low), (Paths{Path::dense, Path::tiles})) << "14 rows";
    const auto in_ell = convert(blocks(32, 3), *make_policy("only:ell"));
    EXPECT_EQ(paths_by_format(in_ell), Paths(2, Path::tiles)) << "not in dense format";
    auto positions = positions_of(blocks(48, 3));
    positions.insert({20, 100});
    const auto deferred = convert(matrix_of(48, 128, positions), *make_policy("paper-deferred"));
    ASSERT_EQ(deferred.deferred.nnz(), 1);
    EXPECT_EQ(paths_by_format(deferred), (Paths{Path::dense, Path::tiles, Path::dense}));
}

}  // namespace
}  // namespace tilespmv::testing
