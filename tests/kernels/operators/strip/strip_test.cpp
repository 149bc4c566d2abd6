#include "kernels/operators/strip/strip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "selector/tuning.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

constexpr double kAll = std::numeric_limits<double>::infinity();

StripLimits limits_for(int value_bytes, double most_bytes, int max_slots = 512) {
    return {.value_bytes = value_bytes, .max_slots = max_slots, .most_bytes = most_bytes};
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
        const int flight = cuda::strip_flight(run.slots, limits.value_bytes, limits.resident_blocks);
        const int step = at_once * (is_short && run.shared != 0 ? flight : 1);
        EXPECT_LE(run.strips, is_short ? static_cast<int>(div_up(limits.block_strips, step)) * step : at_once);
        EXPECT_LE(run.slots, limits.max_slots);
        EXPECT_LE((run.quad_of(run.strips - 1U) + run.quads()) * kQuad, s.bases.size());
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

TEST(Strip, HoldsEveryTileRowOnce) {
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
            }
        }
    }
}

/// The slots of strip `i` of a run as lists of columns, -1 for holes.
std::vector<std::vector<index_t>> columns_of(const Strips& s, const StripRun& run, std::uint32_t i) {
    std::vector<std::vector<index_t>> slots(run.slots, std::vector<index_t>(16, -1));
    const auto row0 = static_cast<index_t>(s.tile_rows[run.first_strip + i] * 16);
    for (std::size_t k = 0; k < slots.size(); ++k) {
        const std::size_t quad = run.quad_of(i) + k / 4;
        for (std::size_t r = 0; r < 16; ++r) {
            if ((s.masks[quad * 8 + r / 2] >> (r % 2 * 4 + k % 4) & 1) == 0) continue;
            slots[k][r] = row0 + s.bases[quad * 4 + k % 4] + (s.codes[quad * 16 + r] >> (4 * (k % 4)) & 15);
        }
    }
    return slots;
}

// By the words of the definition: the window begins at the smallest column that is left.
std::vector<std::vector<index_t>> windows_of(const CsrMatrix<double>& a, index_t row0) {
    std::vector<std::vector<index_t>> left(16);
    for (index_t r = 0; r < 16 && row0 + r < a.rows; ++r) {
        for (offset_t k = a.row_ptrs[row0 + r]; k < a.row_ptrs[row0 + r + 1]; ++k) {
            left[static_cast<std::size_t>(r)].push_back(a.col_idxs[k]);
        }
    }
    std::vector<std::vector<index_t>> slots;
    for (;;) {
        index_t base = std::numeric_limits<index_t>::max();
        for (const auto& row : left) base = row.empty() ? base : std::min(base, row.front());
        if (base == std::numeric_limits<index_t>::max()) return slots;
        auto& slot = slots.emplace_back(16, -1);
        for (std::size_t r = 0; r < 16; ++r) {
            if (left[r].empty() || left[r].front() >= base + 16) continue;
            slot[r] = left[r].front();
            left[r].erase(left[r].begin());
        }
    }
}

TEST(Strip, FillsSlotsByWindows) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        const Strips s = make_strips(a, limits_for(8, kAll));
        for (const StripRun& run : s.runs) {
            for (std::uint32_t i = 0; i < run.strips; ++i) {
                const auto row0 = static_cast<index_t>(s.tile_rows[run.first_strip + i] * 16);
                EXPECT_EQ(columns_of(s, run, i), windows_of(a, row0));
            }
        }
    }
}

TEST(Strip, StoresAPatternOnceForTheStripsThatShareIt) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 16 * 100; ++i) {
        for (index_t k = 0; k < 5; ++k) positions.insert({i, i + 40 * k});
    }
    auto limits = limits_for(8, 1);
    limits.block_strips = 8;
    const Strips s = make_strips(matrix_of(1600, 1760, positions), limits);
    EXPECT_EQ(s.bases.size(), 8u + 4 * 8) << "two quads, and those of four strips that fill no run";
    ASSERT_EQ(s.runs.size(), 13u);
    for (std::size_t i = 0; i < 13; ++i) {
        EXPECT_EQ(s.runs[i].strips, i < 12 ? 8 : 4);
        EXPECT_EQ(s.runs[i].shared, i < 12 ? 1 : 0);
    }
}

TEST(Strip, KernelsAreCompiledForTheBlocksThatTuningChooses) {
    const std::set<int> compiled{cuda::kFewStripBlocks, cuda::kManyStripBlocks};
    for (const std::size_t value_bytes : {8, 4, 2}) {
        const auto& tuning = measured_gpu(value_bytes).tuning.strips;
        EXPECT_TRUE(compiled.contains(tuning.blocks));
        EXPECT_TRUE(compiled.contains(tuning.blocks_of_few));
    }
}

TEST(Strip, ValuesOfWholeQuadsStandByRows) {
    EXPECT_EQ(strip_place(0, 0, 5, 2), 0);
    EXPECT_EQ(strip_place(1, 0, 5, 2), 1) << "two values of a row are one load of 16 bytes";
    EXPECT_EQ(strip_place(0, 1, 5, 2), 2);
    EXPECT_EQ(strip_place(2, 0, 5, 2), 32);
    EXPECT_EQ(strip_place(3, 15, 5, 2), 63);
    EXPECT_EQ(strip_place(4, 3, 5, 2), 67) << "behind whole quads slot by slot";
    EXPECT_EQ(strip_place(3, 0, 5, 4), 3) << "four values of 4 or 2 bytes";
    EXPECT_EQ(strip_place(2, 7, 5, 4), 30);
    EXPECT_EQ(strip_place(2, 7, 3, 4), 39);
}

TEST(Strip, LeavesRowsToOthersThatTakeFewerBytesThere) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 16384; ++i) positions.insert({i, i});
    for (index_t i = 16384; i < 2 * 16384; ++i) positions.insert({i, (i * 977) % 32768});
    const auto a = matrix_of(2 * 16384, 2 * 16384, positions);
    const Strips s = make_strips(a, limits_for(8, 1));
    EXPECT_EQ(s.rest, (std::vector<RowRange>{{16384, 32768}}));
    EXPECT_EQ(s.nonzeros, 16384);
    EXPECT_TRUE(make_strips(a, limits_for(8, 0)).runs.empty());
    EXPECT_TRUE(make_strips(a, limits_for(8, kAll)).rest.empty());
}

TEST(Strip, LeavesTileRowsOfTooManySlotsToOthers) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 48; ++i) positions.insert({i, i});
    for (index_t j = 0; j < 700; j += 16) positions.insert({17, j});
    const auto a = matrix_of(48, 700, positions);
    EXPECT_EQ(make_strips(a, limits_for(8, kAll, 44)).rest, (std::vector<RowRange>{{16, 32}}));
    EXPECT_TRUE(make_strips(a, limits_for(8, kAll, 45)).rest.empty());
}

}  // namespace
}  // namespace tilespmv::testing
