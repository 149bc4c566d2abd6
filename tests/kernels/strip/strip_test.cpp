#include "kernels/strip/strip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using cuda::make_strips;
using cuda::StripLimits;
using cuda::StripRun;
using cuda::Strips;

constexpr double kAll = std::numeric_limits<double>::infinity();

StripLimits limits_for(int value_bytes, double most_bytes, int max_slots = 512) {
    return {.value_bytes = value_bytes, .max_slots = max_slots, .most_bytes = most_bytes};
}

/// Rows of `a` that are not in `rest`.
CsrMatrix<double> without(const CsrMatrix<double>& a, const std::vector<cuda::RowRange>& rest) {
    std::vector<offset_t> row_ptrs{0};
    std::vector<index_t> cols;
    std::vector<double> values;
    for (index_t r = 0; r < a.rows; ++r) {
        const bool is_rest = std::ranges::any_of(rest, [&](auto range) { return range.first <= r && r < range.end; });
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1] && !is_rest; ++k) {
            cols.push_back(a.col_idxs[k]);
            values.push_back(a.values[k]);
        }
        row_ptrs.push_back(static_cast<offset_t>(cols.size()));
    }
    return {a.rows, a.cols, Buffer<offset_t>(row_ptrs), Buffer<index_t>(cols), Buffer<double>(values)};
}

/// What a kernel relies on.
void expect_runs(const Strips& s, const CsrMatrix<double>& a, const StripLimits& limits) {
    std::uint64_t slot = 0;
    std::uint32_t strip = 0;
    for (const StripRun& run : s.runs) {
        EXPECT_EQ(run.first_slot, slot);
        EXPECT_EQ(run.first_strip, strip);
        slot += std::uint64_t{run.slots} * run.strips;
        strip += run.strips;
        EXPECT_GE(run.strips, 1);
        EXPECT_EQ(run.groups_log2, run.slots > limits.lane_slots ? 1 : 0);
        const int at_once = limits.threads / 16 >> run.groups_log2;
        const bool is_short = run.slots > 0 && run.slots <= cuda::kShortStrip;
        EXPECT_LE(run.strips, is_short ? std::max(limits.block_strips, at_once) : at_once);
        EXPECT_LE(run.slots, limits.max_slots);
        EXPECT_LE((run.quad_of(run.strips - 1U) + run.quads()) * cuda::kQuad, s.bases.size());
        for (std::uint32_t i = 0; i < run.strips; ++i) {
            const std::int64_t row0 = std::int64_t{s.tile_rows[run.first_strip + i]} * kTileSize;
            ASSERT_LT(row0, a.rows);
            bool holes = false;
            for (std::uint32_t k = 0; k < run.slots; ++k) {
                const std::size_t quad = run.quad_of(i) + k / 4;
                for (std::uint32_t r = 0; r < 16; ++r) {
                    const auto code = s.codes[quad * 16 + r] >> (4 * (k % 4)) & 15U;
                    const bool there = (s.masks[quad * 8 + r / 2] >> (4 * (r % 2) + k % 4) & 1) != 0;
                    const std::int64_t column = s.bases[quad * 4 + k % 4] + row0 + code;
                    EXPECT_GE(column, 0);
                    EXPECT_LT(column, a.cols) << "x is read for holes, too";
                    EXPECT_TRUE(there || code == 0);
                    holes = holes || (!there && row0 + r < a.rows);
                }
            }
            EXPECT_TRUE(run.holes != 0 || !holes);
        }
    }
    EXPECT_EQ(slot, static_cast<std::uint64_t>(s.slots));
    EXPECT_EQ(strip, s.tile_rows.size());
}

void expect_covers(const Strips& s, const CsrMatrix<double>& a) {
    std::multiset<std::int64_t> tile_rows(s.tile_rows.begin(), s.tile_rows.end());
    index_t end = 0;
    for (const auto range : s.rest) {
        EXPECT_LE(end, range.first);
        EXPECT_EQ(range.first % kTileSize, 0);
        end = range.end;
        for (std::int64_t t = range.first / kTileSize; t * kTileSize < range.end; ++t) tile_rows.insert(t);
    }
    EXPECT_LE(end, a.rows);
    std::int64_t expected = 0;
    for (const auto t : tile_rows) EXPECT_EQ(t, expected++);
    EXPECT_EQ(expected, div_up(a.rows, kTileSize));
}

TEST(Strip, HoldsEveryNonzeroOfItsRowsOnceInOrder) {
    for (const auto& [name, a] : matrix_battery()) {
        for (const int value_bytes : {2, 4, 8}) {
            auto many = limits_for(value_bytes, kAll);
            many.block_strips = 50;
            many.lane_slots = 11;
            for (const auto& limits :
                 {limits_for(value_bytes, kAll), limits_for(value_bytes, 1), limits_for(value_bytes, kAll, 3), many}) {
                SCOPED_TRACE(name + ' ' + std::to_string(value_bytes) + ' ' + std::to_string(limits.max_slots));
                const Strips s = make_strips(a, limits);
                expect_runs(s, a, limits);
                expect_covers(s, a);
                const auto values = cuda::in_strips(s, a.row_ptrs, a.values);
                EXPECT_EQ(cuda::to_csr(s, a.rows, a.cols, values), without(a, s.rest));
                EXPECT_EQ(values.size(), static_cast<std::size_t>(s.slots) * 16);
            }
        }
    }
}

TEST(Strip, FillsFullSlotsOnAGrid) {
    const auto a = generate<double>("laplace2d:n=256");
    const Strips s = make_strips(a, limits_for(8, 1));
    EXPECT_TRUE(s.rest.empty());
    EXPECT_EQ(s.nonzeros, a.nnz());
    EXPECT_EQ(s.slots, 5 * 256 * 16 - 2 * 16) << "five a strip, four in the first and the last row of the grid";
}
}  // namespace
}  // namespace tilespmv::testing
