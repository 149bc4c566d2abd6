#include "kernels/operators/strip/rank_strips.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/battery.hpp"
#include "tests/support/threads.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using cuda::kRankHole;
using cuda::make_rank_strips;
using cuda::RankStrips;

constexpr double kAnyBytes = std::numeric_limits<double>::infinity();

StripLimits rank_limits(double most_rank_bytes, int max_slots = 512) {
    return {.max_slots = max_slots, .most_rank_bytes = most_rank_bytes};
}

std::vector<RowRange> all_rows(const CsrMatrix<double>& a) {
    if (a.rows == 0) return {};
    return {{0, a.rows}};
}

/// Whether slot k of every row is its k-th nonzero, and all that a kernel relies on.
void expect_strip(const RankStrips& s, const StripRun& run, std::uint32_t i, const CsrMatrix<double>& a) {
    const std::int64_t row0 = std::int64_t{s.tile_rows[run.first_strip + i]} * kTileSize;
    const std::int32_t base = s.bases[run.first_strip + i];
    ASSERT_LT(row0, a.rows);
    EXPECT_TRUE(run.slots == 0 || (base >= 0 && base < a.cols)) << "x of the base is read for holes";
    offset_t longest = 0;
    for (std::int64_t r = 0; r < kTileSize; ++r) {
        const offset_t first = row0 + r < a.rows ? a.row_ptrs[row0 + r] : 0;
        const offset_t count = row0 + r < a.rows ? a.row_ptrs[row0 + r + 1] - first : 0;
        longest = std::max(longest, count);
        EXPECT_TRUE(run.holes != 0 || count == run.slots || row0 + r >= a.rows);
        for (offset_t k = 0; k < offset_t{run.quads()} * kQuad; ++k) {
            const std::size_t quad = run.quad_of(i) + static_cast<std::size_t>(k / kQuad);
            const auto code = s.codes[quad * kQuad * kTileSize + static_cast<std::size_t>(r * kQuad + k % kQuad)];
            if (k < count) {
                EXPECT_EQ(base + std::int64_t{code}, a.col_idxs[first + k]);
            } else {
                EXPECT_EQ(code, kRankHole);
            }
        }
    }
    EXPECT_EQ(run.slots, longest);
}

void expect_strips(const RankStrips& s, const CsrMatrix<double>& a, const StripLimits& limits) {
    std::uint64_t slot = 0;
    std::uint64_t quad = 0;
    std::uint32_t strip = 0;
    offset_t nonzeros = 0;
    std::multiset<std::uint32_t> tile_rows(s.tile_rows.begin(), s.tile_rows.end());
    for (const StripRun& run : s.runs) {
        EXPECT_EQ(run.first_slot, slot);
        EXPECT_EQ(run.first_quad, quad);
        EXPECT_EQ(run.first_strip, strip);
        EXPECT_EQ(run.shared, 0);
        EXPECT_EQ(run.groups_log2, run.slots > limits.lane_slots ? 1 : 0);
        EXPECT_GE(run.strips, 1);
        EXPECT_LE(run.strips, limits.threads / kTileSize >> run.groups_log2);
        for (std::uint32_t i = 0; i < run.strips; ++i) expect_strip(s, run, i, a);
        slot += std::uint64_t{run.slots} * run.strips;
        quad += std::uint64_t{run.quads()} * run.strips;
        strip += run.strips;
    }
    for (const std::uint32_t tile_row : tile_rows) {
        const std::int64_t first = std::int64_t{tile_row} * kTileSize;
        nonzeros += a.row_ptrs[std::min<std::int64_t>(first + kTileSize, a.rows)] - a.row_ptrs[first];
    }
    for (const RowRange range : s.rest) {
        EXPECT_EQ(range.first % kTileSize, 0);
        for (std::int64_t row = range.first; row < range.end; row += kTileSize)
            tile_rows.insert(static_cast<std::uint32_t>(row / kTileSize));
    }
    EXPECT_EQ(tile_rows.size(), static_cast<std::size_t>(div_up(a.rows, kTileSize)));
    EXPECT_EQ(std::set(tile_rows.begin(), tile_rows.end()).size(), tile_rows.size()) << "each tile row once";
    EXPECT_EQ(s.slots, static_cast<std::int64_t>(slot));
    EXPECT_EQ(s.codes.size(), quad * kQuad * kTileSize);
    EXPECT_EQ(s.tile_rows.size(), strip);
    EXPECT_EQ(s.nonzeros, nonzeros);
}

TEST(RankStrips, HoldTheNonzerosOfTheBattery) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        for (const double most_bytes : {1.0, 1.3, kAnyBytes}) {
            for (const int max_slots : {3, 40, 512}) {
                const StripLimits limits = rank_limits(most_bytes, max_slots);
                expect_strips(make_rank_strips(a, all_rows(a), limits), a, limits);
            }
        }
    }
}

TEST(RankStrips, AreMadeOfTheRowsThatAreGiven) {
    const auto a = generate<double>("laplace2d:n=20");
    const RankStrips s = make_rank_strips(a, {{32, 64}, {112, 400}}, rank_limits(kAnyBytes));
    EXPECT_TRUE(s.rest.empty());
    EXPECT_EQ(s.tile_rows.size(), 2 + 18);
    EXPECT_EQ(s.nonzeros, a.row_ptrs[64] - a.row_ptrs[32] + a.row_ptrs[400] - a.row_ptrs[112]);
}

TEST(RankStrips, AreWorthABoundedNumberOfBytes) {
    // 16 rows of 8 nonzeros take 8 + 2 bytes each; with one of 16 nonzeros twice as many for all.
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < 16; ++r) {
        for (index_t k = 0; k < 8; ++k) positions.insert({r, 100 * k + r});
    }
    const auto even = matrix_of(16, 3000, positions);
    for (index_t k = 8; k < 16; ++k) positions.insert({3, 100 * k});
    const auto uneven = matrix_of(16, 3000, positions);
    const auto is_taken = [](const CsrMatrix<double>& a, double most) {
        return make_rank_strips(a, all_rows(a), rank_limits(most)).rest.empty();
    };
    EXPECT_TRUE(is_taken(even, 1));
    EXPECT_FALSE(is_taken(uneven, 1.5));
    EXPECT_TRUE(is_taken(uneven, 2));
    EXPECT_FALSE(is_taken(even, 0));
    EXPECT_GT(make_rank_strips(even, all_rows(even), rank_limits(1)).bytes(8), 16U * 8 * 10);
}

TEST(RankStrips, LeaveOutTileRowsThatSixteenBitsDoNotAddress) {
    const auto rest_of = [](index_t last_column) {
        const auto a = matrix_of(48, 70'000, {{2, 7}, {20, 0}, {20, last_column}, {40, 69'999}});
        return make_rank_strips(a, all_rows(a), rank_limits(kAnyBytes)).rest;
    };
    EXPECT_TRUE(rest_of(65'534).empty());
    const auto rest = rest_of(65'535);
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(rest[0].first, 16);
    EXPECT_EQ(rest[0].end, 32);
}

TEST(RankStrips, AreTheSameForAnyNumberOfThreads) {
    const auto a = generate<double>("rgg:n=40000,degree=16");
    const auto made = [&] { return make_rank_strips(a, all_rows(a), rank_limits(1.5)); };
    const RankStrips one = test::with_threads(1, made);
    const RankStrips four = test::with_threads(4, made);
    EXPECT_GT(one.nonzeros, 0);
    EXPECT_EQ(one.runs, four.runs);
    EXPECT_EQ(one.codes, four.codes);
    EXPECT_EQ(one.tile_rows, four.tile_rows);
}

}  // namespace
}  // namespace tilespmv::testing
