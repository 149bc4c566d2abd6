#include "kernels/published/tile_warp/warp_tiles.hpp"

#include <gtest/gtest.h>

#include <map>

#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tests/support/tile_pieces.hpp"
#include "tests/support/tile_rows.hpp"

namespace tilespmv::testing {
namespace {

using cuda::kTileWarpsPerBlock;
using cuda::WarpPlan;
using cuda::WarpTiles;

/// The tiles of the plan, warp by warp, lie one after the other in the arenas, as those of `m` do.
void expect_every_tile_once(const TileMatrix<double>& m, const WarpPlan& plan) {
    std::size_t next = 0;
    offset_t value = 0;
    offset_t byte = 0;
    for (const WarpTiles& work : plan.warps) {
        ASSERT_LE(work.count, WarpTiles::kMost);
        if (work.count > 0) {
            EXPECT_EQ(work.first_value, value);
            EXPECT_EQ(work.first_byte, byte);
        }
        for (int t = 0; t < work.count; ++t) {
            ASSERT_LT(next, m.tiles.size());
            EXPECT_EQ(work.tiles[static_cast<std::size_t>(t)], m.tiles[next]);
            value += m.tiles[next].values();
            byte += m.tiles[next].index_bytes();
            ++next;
        }
    }
    EXPECT_EQ(next, m.tiles.size());
}

/// Warps that are the last of their tile row in a block add up those before, in the same block. A tile row has one, or
/// one for each of its blocks, whose sums its pieces add up.
void expect_sums_of_every_tile_row(index_t tile_rows, const WarpPlan& plan) {
    ASSERT_EQ(plan.warps.size() % kTileWarpsPerBlock, 0);
    std::vector<int> whole(static_cast<std::size_t>(tile_rows), 0);
    std::map<std::uint32_t, std::vector<std::uint32_t>> pieces;
    for (std::size_t at = 0; at < plan.warps.size(); ++at) {
        const WarpTiles& work = plan.warps[at];
        if (work.is_last == 0) continue;
        ASSERT_LE(work.warps_before, at % kTileWarpsPerBlock);
        for (std::size_t w = at - work.warps_before; w <= at; ++w) {
            EXPECT_EQ(plan.warps[w].tile_row, work.tile_row);
            EXPECT_EQ(plan.warps[w].is_last, w == at ? 1 : 0);
        }
        if (work.piece < 0) {
            ++whole.at(work.tile_row);
        } else {
            pieces[work.tile_row].push_back(static_cast<std::uint32_t>(work.piece));
        }
    }
    PieceReader reader(plan.pieces);
    for (std::uint32_t t = 0; t < whole.size(); ++t) {
        EXPECT_EQ(whole[t], pieces.contains(t) ? 0 : 1) << "tile row " << t;
        if (pieces.contains(t)) reader.expect_complete(t, pieces[t]);
    }
    reader.expect_no_place_taken();
}

TEST(WarpPlan, CoversEveryTileAndEveryTileRow) {
    for (const char* selector : {"paper", "paper-deferred", "only:coo"}) {
        for (const auto& [name, a] : matrix_battery()) {
            SCOPED_TRACE(std::string(selector) + ' ' + name);
            const auto m = convert(a, *make_policy(selector));
            const auto plan = cuda::plan_warps(m);
            expect_every_tile_once(m, plan);
            expect_sums_of_every_tile_row(static_cast<index_t>(div_up(a.rows, kTileSize)), plan);
        }
    }
}

TEST(WarpPlan, SplitsATileRowOfMoreTilesThanABlockTakes) {
    constexpr index_t in_a_block = WarpTiles::kMost * kTileWarpsPerBlock;
    for (const index_t tiles : {1, 4, 5, in_a_block, in_a_block + 1, 3 * in_a_block}) {
        SCOPED_TRACE(tiles);
        const auto m = convert(blocks(64, tiles), *make_policy("paper"));
        const auto plan = cuda::plan_warps(m);
        EXPECT_EQ(plan.pieces.pieces.empty(), tiles <= in_a_block);
        expect_every_tile_once(m, plan);
        expect_sums_of_every_tile_row(4, plan);
    }
}

TEST(WarpPlan, GivesTheWarpsOfATileRowEvenShares) {
    const auto plan = cuda::plan_warps(convert(blocks(16, 5), *make_policy("paper")));
    ASSERT_EQ(plan.warps.size(), kTileWarpsPerBlock);
    EXPECT_EQ(plan.warps[0].count + plan.warps[1].count, 5);
    EXPECT_LE(plan.warps[1].count, 3);
    EXPECT_EQ(plan.warps[2].count, 0);
}

TEST(DeferredAlone, HasTheDeferredNonzerosWhereTheyAre) {
    for (const auto& [name, a] : matrix_battery()) {
        for (const char* selector : {"paper-deferred", "bytes", "paper-deferred:defer=256"}) {
            SCOPED_TRACE(name + ' ' + selector);
            const auto m = convert(a, *make_policy(selector));
            const auto deferred = cuda::deferred_alone(m);
            ASSERT_NO_THROW(validate(deferred));
            ASSERT_EQ(deferred.nnz(), m.deferred.nnz());
            EXPECT_EQ(deferred.values.data(), m.deferred.values.data());
            for (index_t row = 0; row < a.rows; ++row) {
                for (offset_t k = deferred.row_ptrs[row]; k < deferred.row_ptrs[row + 1]; ++k) {
                    const auto* const end = a.col_idxs.data() + a.row_ptrs[row + 1];
                    const auto* const at = std::find(a.col_idxs.data() + a.row_ptrs[row], end, deferred.col_idxs[k]);
                    ASSERT_NE(at, end);
                    EXPECT_EQ(a.values[at - a.col_idxs.data()], deferred.values[k]);
                }
            }
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
