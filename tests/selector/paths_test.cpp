#include "selector/paths.hpp"

#include <gtest/gtest.h>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/tile_rows.hpp"

namespace tilespmv::testing {
namespace {

using cuda::Path;
using cuda::Paths;

template <Value V>
Paths chosen(const TileMatrix<V>& a, offset_t tiles_from = cuda::PathTuning{}.tiles_from) {
    cuda::PathTuning tuning = cuda::tuning_for(90, sizeof(V)).paths;
    tuning.tiles_from = tiles_from;
    return cuda::choose_paths(a, tuning);
}

TEST(Paths, ByFormatKnowsNoCsr16) {
    const auto full = convert(blocks(32, 3), *make_policy("paper"));
    EXPECT_EQ(cuda::paths_by_format(full), Paths(2, Path::dense));
    const auto small = convert(matrix_of(64, 64, {{0, 0}, {1, 1}, {40, 2}}), *make_policy("paper"));
    EXPECT_EQ(cuda::paths_by_format(small), Paths(4, Path::tiles));
}

TEST(ScatteredShare, IsOfDeferredNonzerosAndOfTilesThatBecomeEntries) {
    const auto share_by = [](const CsrMatrix<double>& a, const char* selector) {
        return cuda::scattered_share(convert(a, *make_policy(selector)));
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

TEST(Paths, FullDenseTileRowsAreDense) {
    const auto full = convert(blocks(32, 3), *make_policy("paper"));
    EXPECT_EQ(chosen(full), Paths(2, Path::dense));
    const auto low = convert(blocks(30, 3), *make_policy("paper"));
    EXPECT_EQ(chosen(low), (Paths{Path::dense, Path::csr16})) << "14 rows";
    const auto in_ell = convert(blocks(32, 3), *make_policy("only:ell"));
    EXPECT_EQ(chosen(in_ell), Paths(2, Path::csr16)) << "not in dense format";
}

TEST(Paths, ADenseTileRowWithADeferredNonzeroIsNotDense) {
    auto positions = positions_of(blocks(48, 3));
    positions.insert({20, 100});
    const auto a = convert(matrix_of(48, 128, positions), *make_policy("paper-deferred"));
    ASSERT_EQ(a.deferred.nnz(), 1);
    EXPECT_EQ(chosen(a), (Paths{Path::dense, Path::csr16, Path::dense}));
    EXPECT_EQ(chosen(a, 0), (Paths{Path::dense, Path::tiles, Path::dense}));
}

TEST(Paths, TileByTileWhereFormatsSaveBytesAndThereIsEnoughOfIt) {
    const auto ell = convert(blocks(32, 3), *make_policy("only:ell"));
    EXPECT_EQ(chosen(ell, 32 * 48), Paths(2, Path::tiles));
    EXPECT_EQ(chosen(ell, 32 * 48 + 1), Paths(2, Path::csr16));
}

TEST(Paths, SmallTilesAndEmptyTileRowsAreCsr16) {
    const auto a = convert(matrix_of(64, 64, {{0, 0}, {1, 1}, {40, 2}}), *make_policy("paper"));
    EXPECT_EQ(chosen(a, 0), Paths(4, Path::csr16));
}

// Of 16 rows: hundredths of the time of a nonzero of csr16, and those of a tile row.
TEST(Paths, AreTheFasterByTheCostsOfTheTuning) {
    const auto faster = [](const char* selector, const cuda::TileCosts& costs) {
        const auto a = convert(blocks(16, 2), *make_policy(selector));
        return cuda::choose_paths(a, {.tiles_from = 0, .costs = costs}).at(0) == Path::tiles;
    };
    EXPECT_TRUE(faster("only:ell", {512 * 100 - 512 * 30 - 1, 30, 1000, 1000}));
    EXPECT_FALSE(faster("only:ell", {512 * 100 - 512 * 30, 30, 1000, 1000}));
    EXPECT_TRUE(faster("only:dense_row", {0, 99, 1000, 1000}));
    EXPECT_TRUE(faster("only:csr", {0, 1000, 99, 1000}));
    EXPECT_FALSE(faster("only:csr", {0, 99, 100, 99}));
    EXPECT_TRUE(faster("only:coo", {0, 1000, 1000, 99}));
    EXPECT_FALSE(faster("only:coo", {0, 99, 99, 100}));
    EXPECT_TRUE(faster("only:hyb", {0, 20, 1000, 178}));
    EXPECT_FALSE(faster("only:hyb", {0, 20, 1000, 180}));
}

TEST(Paths, FullDenseTilesAndDeferredNonzerosHaveCostsOfTheirOwn) {
    auto positions = positions_of(blocks(16, 3));
    positions.erase({3, 40});
    positions.insert({3, 100});
    const auto a = convert(matrix_of(16, 128, positions), *make_policy("paper-deferred"));
    ASSERT_EQ(a.deferred.nnz(), 1);
    ASSERT_EQ(a.tiles[2].format(), formats::id_of<formats::Dense>);
    constexpr int others = 512 * 20 + 255 * 90 + 1000;  // of two full tiles, one with a hole, one deferred nonzero
    for (const int more : {0, 1}) {
        const cuda::TileCosts costs{768 * 100 - others - more, 20, 90, 1000};
        EXPECT_EQ(cuda::choose_paths(a, {.tiles_from = 0, .costs = costs}).at(0), more ? Path::tiles : Path::csr16);
    }
}

}  // namespace
}  // namespace tilespmv::testing
