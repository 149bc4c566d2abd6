#include "kernels/operators/sell/sell.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cuda/tuning.hpp"
#include "selector/auto/features_of.hpp"
#include "selector/csr_shapes.hpp"
#include "selector/work_sizes.hpp"
#include "tests/kernels/operators/sell/naive_sell_plan.hpp"
#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using cuda::kSliceLanes;
using cuda::NonzeroRange;
using cuda::SellPlan;
using cuda::SellSlice;

/// Row pointers of rows with so many nonzeros.
std::vector<offset_t> row_ptrs_of(const std::vector<offset_t>& lengths) {
    std::vector<offset_t> row_ptrs{0};
    for (const offset_t length : lengths) row_ptrs.push_back(row_ptrs.back() + length);
    return row_ptrs;
}

constexpr int kFlight = 4;

SellPlan plan_of(std::span<const offset_t> row_ptrs, int most_steps) {
    return naive_sell_plan(row_ptrs, {.most_steps = most_steps, .flight = kFlight, .block_warps = 8});
}

std::vector<NamedMatrix> matrices() {
    auto all = matrix_battery();
    all.push_back({"power law", generate<double>("powerlaw:n=3000,degree=20")});
    std::set<std::pair<index_t, index_t>> positions;
    for (const index_t row : {1, 2, 60}) {
        for (index_t c = 0; c < 3000; ++c) positions.insert({row, c});
    }
    for (index_t row = 5; row < 50; ++row) positions.insert({row, row * 7});
    all.push_back({"long rows", matrix_of(20'000, 3000, positions)});
    return all;
}

template <class Check>
void for_each_plan(Check&& check) {
    for (const auto& [name, a] : matrices()) {
        for (const int most_steps : {1, 8, 32, 1024}) {
            SCOPED_TRACE(name + ", " + std::to_string(most_steps) + " steps");
            check(a, plan_of(a.row_ptrs, most_steps), most_steps);
        }
    }
}

/// The nonzeros of the r-th row of a slice.
NonzeroRange nonzeros_of(const SellPlan& plan, std::size_t slice, std::size_t r, std::span<const offset_t> row_ptrs) {
    const std::uint32_t row = plan.rows[plan.slices[slice].first_row + r];
    const NonzeroRange all{row_ptrs[row], row_ptrs[row + 1] - row_ptrs[row]};
    if (slice >= plan.pieces()) return all;
    const auto split = plan.splits[plan.split_of[slice]];
    return cuda::piece_of(all, static_cast<offset_t>(slice - split.first_partial), split.partials);
}

/// By the words of the header: which nonzero of CSR stands in each place, and which row it belongs to.
struct Placed {
    std::map<std::uint64_t, offset_t> nonzero_at;
    std::multiset<std::uint32_t> rows;
};

Placed places_of(const SellPlan& plan, std::span<const offset_t> row_ptrs) {
    Placed placed;
    for (std::size_t number = 0; number < plan.slices.size(); ++number) {
        const SellSlice& slice = plan.slices[number];
        for (unsigned lane = 0; lane < kSliceLanes; ++lane) {
            const unsigned r = lane / slice.lanes();
            if (r >= slice.rows) continue;
            if (lane % slice.lanes() == 0) placed.rows.insert(plan.rows[slice.first_row + r]);
            for (unsigned step = 0; step < slice.steps; ++step) {
                const unsigned i = step * slice.lanes() + lane % slice.lanes();
                const NonzeroRange row = nonzeros_of(plan, number, r, row_ptrs);
                if (i >= row.count) continue;
                const std::uint64_t place = (slice.first_step + step) * kSliceLanes + lane;
                EXPECT_TRUE(placed.nonzero_at.insert({place, row.first + i}).second);
            }
        }
    }
    return placed;
}

TEST(Sell, HasEachNonzeroInAPlaceOfItsRow) {
    for_each_plan([](const auto& a, const SellPlan& plan, int) {
        const Placed placed = places_of(plan, a.row_ptrs);
        std::set<offset_t> nonzeros;
        for (const auto& [place, nonzero] : placed.nonzero_at) {
            EXPECT_LT(place, plan.places());
            nonzeros.insert(nonzero);
        }
        EXPECT_EQ(static_cast<offset_t>(nonzeros.size()), a.nnz());
        EXPECT_EQ(placed.nonzero_at.size(), nonzeros.size());
    });
}

TEST(Sell, HasEachRowOnceInSlicesInPiecesOrAmongTheEmptyOnes) {
    for_each_plan([](const auto& a, const SellPlan& plan, int) {
        std::multiset<std::uint32_t> rows = places_of(plan, a.row_ptrs).rows;
        for (const auto& split : plan.splits) {
            const std::uint32_t row = plan.rows[split.first_partial];
            EXPECT_GE(split.partials, 2u);
            EXPECT_EQ(rows.erase(row), split.partials);
            for (std::uint32_t i = 0; i < split.partials; ++i) {
                EXPECT_EQ(plan.rows[split.first_partial + i], row);
                EXPECT_EQ(&plan.splits[plan.split_of[split.first_partial + i]], &split);
            }
            rows.insert(row);
        }
        for (index_t row = 0; row < a.rows; ++row) {
            const bool is_empty = a.row_ptrs[row] == a.row_ptrs[row + 1];
            EXPECT_EQ(rows.count(static_cast<std::uint32_t>(row)), is_empty ? 0u : 1u) << row;
            if (plan.empty.empty()) {
                EXPECT_FALSE(is_empty);
            } else {
                EXPECT_EQ((plan.empty[static_cast<std::size_t>(row) / 32] >> row % 32 & 1u) != 0, is_empty) << row;
            }
        }
    });
}

TEST(Sell, TakesTheFewestLanesAndFillsSlices) {
    for_each_plan([](const auto& a, const SellPlan& plan, int most_steps) {
        std::uint64_t steps = 0;
        std::set<std::pair<int, int>> with_one_that_is_not_full;
        for (std::size_t i = 0; i < plan.slices.size(); ++i) {
            const SellSlice& slice = plan.slices[i];
            EXPECT_EQ(slice.first_step, steps);
            steps += slice.steps;
            EXPECT_EQ(slice.steps > 0, slice.rows > 0);
            EXPECT_LE(slice.steps, i < plan.pieces() ? 2 * most_steps : most_steps);
            EXPECT_LE(slice.lanes(), kSliceLanes);
            const unsigned rows = i < plan.pieces() ? 1 : slice.rows;
            EXPECT_LE(rows * slice.lanes(), kSliceLanes);
            for (unsigned r = 0; r < rows; ++r) {
                const auto length = static_cast<int>(nonzeros_of(plan, i, r, a.row_ptrs).count);
                EXPECT_EQ(slice.steps, div_up(length, slice.lanes()));
                if (slice.lanes() > 1 && i >= plan.pieces()) {
                    EXPECT_GT(length, most_steps * slice.lanes() / 2);
                }
            }
            if (i >= plan.pieces() && slice.rows > 0 && slice.rows < kSliceLanes / slice.lanes()) {
                EXPECT_TRUE(with_one_that_is_not_full.insert({slice.steps, slice.lanes()}).second);
            }
        }
        EXPECT_EQ(plan.steps, steps);
    });
}

/// What runs side by side takes as long, and reads x of neighbouring rows.
TEST(Sell, SortsSlicesByRoundsOfLoadsAndThenByRows) {
    for_each_plan([](const auto&, const SellPlan& plan, int) {
        for (std::size_t i = plan.pieces() + 1; i < plan.slices.size() && plan.slices[i].rows > 0; ++i) {
            const SellSlice& before = plan.slices[i - 1];
            const SellSlice& slice = plan.slices[i];
            const auto rounds_before = div_up(before.steps, kFlight);
            const auto rounds = div_up(slice.steps, kFlight);
            EXPECT_GE(rounds_before, rounds);
            if (rounds_before == rounds) {
                EXPECT_LT(plan.rows[before.first_row], plan.rows[slice.first_row]);
            }
        }
    });
}

TEST(Sell, SortsSlicesOfAFewRowsOfManyAsWell) {
    std::vector<offset_t> lengths(1'000'000);
    for (std::size_t row = 700'000; row < 700'500; ++row) lengths[row] = 1 + static_cast<offset_t>(row % 3 * 40);
    const auto plan = plan_of(row_ptrs_of(lengths), kFlight);
    ASSERT_GT(plan.slices.size(), 200u);
    EXPECT_TRUE(std::ranges::is_sorted(plan.slices, {}, [&](const SellSlice& s) { return plan.rows[s.first_row]; }));
}

TEST(Sell, SlicesFollowTheRule) {
    // With 4 steps: 4 lanes for 10 to 16 nonzeros, one for up to 4, pieces from 129 on.
    const auto plan = plan_of(row_ptrs_of({2, 0, 300, 16, 4, 10, 1, 128}), 4);
    const std::vector<SellSlice> expected{{0, 0, 3, 5, 4},  {3, 1, 3, 5, 4},  {6, 2, 3, 5, 4},  {9, 3, 3, 5, 4},
                                          {12, 8, 2, 0, 1}, {14, 5, 4, 2, 1}, {18, 6, 4, 0, 1}, {22, 7, 3, 2, 1},
                                          {25, 9, 1, 0, 1}, {26, 4, 4, 5, 1}};
    EXPECT_EQ(plan.slices, expected);
    EXPECT_EQ(plan.rows, (Buffer<std::uint32_t>{2, 2, 2, 2, 7, 3, 4, 5, 0, 6}));
    const NonzeroRange last = cuda::piece_of({2, 301}, 2, 3);
    EXPECT_EQ(last.first, 2 + 200);
    EXPECT_EQ(last.count, 101);
    EXPECT_EQ(plan.empty, (Buffer<std::uint32_t>{2}));
}

TEST(Sell, GivesPiecesOfARowPartOfABlockOrWholeOnes) {
    // Of at most 32 nonzeros each, 64 in rows of more than 256.
    const auto plan = plan_of(row_ptrs_of({40, 70, 600, 512, 20, 200}), 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces;
    for (const auto& split : plan.splits) pieces.emplace_back(plan.rows[split.first_partial], split.partials);
    EXPECT_EQ(pieces, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{2, 16}, {3, 8}, {5, 8}, {1, 4}, {0, 2}}));
    EXPECT_EQ(plan.slices[0].rows, 16);
    EXPECT_EQ(plan.slices[16].rows, 8);
    EXPECT_EQ(plan.pieces(), 38u);
    EXPECT_EQ(plan.slices.size(), 40u) << "a slice for each warp of the last block of pieces";
    EXPECT_EQ(plan.slices[39], (SellSlice{plan.steps, 0, 0, 0, 0}));
    for_each_plan([](const auto&, const SellPlan& any, int) {
        for (const auto& split : any.splits) {
            EXPECT_GE(any.slices.size(), static_cast<std::size_t>(div_up(any.pieces(), std::size_t{8}) * 8));
            EXPECT_TRUE(split.partials % 8 == 0 || 8 % split.partials == 0) << split.partials;
            EXPECT_EQ(split.first_partial % std::min(split.partials, 8u), 0u);
        }
    });
}

TEST(Sell, KeepsTheOrderOfRowsOfOneShape) {
    const auto plan = plan_of(row_ptrs_of(std::vector<offset_t>(100'000, 3)), 32);
    EXPECT_EQ(plan.slices.size(), 100'000u / kSliceLanes);
    for (std::uint32_t row = 0; row < 100'000; ++row) ASSERT_EQ(plan.rows[row], row);
    EXPECT_TRUE(plan.empty.empty());
}

/// What the choice of an operator goes by.
TEST(Sell, HasTheLanesThatStatisticsOfRowsCount) {
    for (const auto& [name, a] : matrices()) {
        const RowLengths lengths = row_lengths(a.row_ptrs);
        for (const int steps : {8, 16, 32}) {
            SCOPED_TRACE(name + ' ' + std::to_string(steps));
            const SellPlan plan = plan_of(a.row_ptrs, steps);
            std::set<std::pair<int, int>> kinds;
            for (const SellSlice& slice : plan.slices) kinds.insert({slice.lanes(), slice.steps});
            const auto slices = static_cast<offset_t>(plan.slices.size());
            const offset_t full = rounds_of(lengths, {steps, 1}).lanes / kSliceLanes;
            EXPECT_GE(slices, full);
            EXPECT_LE(slices, full + std::ssize(kinds) + 8) << "the last one of a kind, and to the end of a block";
        }
    }
}

TEST(Sell, OfAMatrixWithoutNonzerosHasEmptyRowsOnly) {
    const auto plan = plan_of(row_ptrs_of({0, 0, 0}), 8);
    EXPECT_TRUE(plan.slices.empty());
    EXPECT_EQ(plan.empty, (Buffer<std::uint32_t>{7}));
    EXPECT_TRUE(plan_of(row_ptrs_of({}), 8).empty.empty());
}

/// Of a matrix whose rows have so many lanes of as many steps as a thread has in flight.
int steps_of(index_t cols, offset_t nonzeros, std::size_t value_bytes, offset_t lanes = 0) {
    return sell_steps(
        cols, nonzeros, value_bytes, [&](int) { return lanes; }, measured_gpu(value_bytes));
}
constexpr index_t kNarrow = 65'534;  // columns that codes of 16 bits have

TEST(SellSteps, KeepTheGpuInSlices) {
    const auto steps = [](offset_t nonzeros, std::size_t value_bytes) { return steps_of(1000, nonzeros, value_bytes); };
    EXPECT_EQ(steps(0, 8), 8);
    EXPECT_EQ(steps(8 * 32 * 40 * 132, 8), 8);
    EXPECT_EQ(steps(8 * 32 * 40 * 132 + 1, 8), 16);
    EXPECT_EQ(steps(2'200'000, 4), 8) << "more warps on a multiprocessor";
    EXPECT_EQ(steps(2'300'000, 4), 16);
    EXPECT_EQ(steps(16'000'000, 8), 32);
    EXPECT_EQ(steps(offset_t{1} << 40, 8), 32);
}

TEST(SellSteps, AreThoseThatAThreadHasInFlightAtLeast) {
    EXPECT_EQ(steps_of(kNarrow, 1000, 4), 8);
    EXPECT_EQ(steps_of(kNarrow + 1, 1000, 4), 4) << "codes of 32 bits";
    EXPECT_EQ(steps_of(kNarrow, 1000, 2), 8);
    EXPECT_EQ(steps_of(kNarrow + 1, 1000, 2), 4);
    EXPECT_EQ(steps_of(kNarrow + 1, 1000, 8), 8);
}

TEST(SellSteps, AreTwiceAsManyWhereSlicesDoNotFitAtOnceAndCodesAreNarrow) {
    constexpr offset_t kWave = 132 * 32 * 32;  // lanes that a GPU holds in float64
    EXPECT_EQ(steps_of(kNarrow, 1'000'000, 8, kWave), 8);
    EXPECT_EQ(steps_of(kNarrow, 1'000'000, 8, kWave * 11 / 10), 16);
    EXPECT_EQ(steps_of(kNarrow + 1, 1'000'000, 8, kWave * 11 / 10), 8);
    EXPECT_EQ(steps_of(kNarrow, 1'000'000, 4, kWave * 11 / 10), 8) << "more warps on a multiprocessor";
    EXPECT_EQ(steps_of(kNarrow, 1'000'000, 4, kWave * 11 / 10 * 3 / 2), 16);
    EXPECT_EQ(steps_of(kNarrow, 2'000'000, 8, kWave * 2), 16) << "not more than for so many nonzeros";
}

TEST(SellSteps, AreTheSameByRowsAndByWhatIsKnownOfThem) {
    for (const char* source : {"fem:n=20,dof=3", "banded:n=20000,half=22", "rmat:scale=14,degree=40"}) {
        const auto a = generate<double>(source);
        const auto steps = sell_steps(
            a.cols, a.nnz(), sizeof(double), [&](int most) { return sell_lanes(a.row_ptrs, most); },
            measured_gpu(sizeof(double)));
        EXPECT_EQ(steps, sell_steps_of(features_of(pattern_of(a)))) << source;
    }
    EXPECT_EQ(sell_steps_of(features_of(pattern_of(generate<double>("banded:n=20000,half=22")))), 16);
}

}  // namespace
}  // namespace tilespmv::testing
