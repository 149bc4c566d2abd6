#include "kernels/operators/csr_adaptive/csr_adaptive.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

using cuda::AdaptiveLimits;
using cuda::AdaptivePlan;

template <class Check>
void for_each_plan(Check&& check) {
    for (const auto& [name, a] : matrix_battery()) {
        for (const AdaptiveLimits limits : {AdaptiveLimits{64, 1, 1},
                                            {64, 7, 100},
                                            {64, 70, 100},
                                            {64, 7, 20, 70},
                                            {64, 512, 2048},
                                            {256, 2048, 8192}}) {
            SCOPED_TRACE(name + ' ' + std::to_string(limits.block_nonzeros));
            check(a, limits, cuda::make_adaptive_plan(a.row_ptrs, limits));
        }
    }
}

using Block = std::array<std::int64_t, 7>;   // first row and nonzero, rows, nonzeros, partial, split, threads_log2
using Split = std::array<std::uint32_t, 2>;  // first partial, partials

struct Parts {
    std::vector<Block> blocks;
    std::vector<Split> splits;
    std::uint32_t partials = 0;
    offset_t in_long_rows = 0;
    friend bool operator==(const Parts&, const Parts&) = default;
};

Parts parts_of(const AdaptivePlan& plan) {
    Parts parts;
    for (const auto& b : plan.blocks) {
        parts.blocks.push_back({b.first_row, b.first_nonzero, b.rows, b.nonzeros, b.partial, b.split, b.threads_log2});
    }
    for (const auto& s : plan.splits) parts.splits.push_back({s.first_partial, s.partials});
    parts.partials = plan.partials;
    parts.in_long_rows = plan.in_long_rows;
    return parts;
}

/// One block after the other, by the words of the header.
template <class V>
Parts expected_parts(const CsrMatrix<V>& a, const AdaptiveLimits& limits) {
    Parts parts;
    const auto threads_of_a_row = [&](int rows) {
        int log2 = 5;
        while (log2 > 0 && rows << log2 > limits.threads) --log2;
        return log2;
    };
    for (index_t row = 0; row < a.rows;) {
        const offset_t first = a.row_ptrs[row];
        const offset_t length = a.row_ptrs[row + 1] - first;
        if (length <= limits.block_nonzeros) {
            int rows = 1;
            while (rows < 4 * limits.threads && row + rows < a.rows &&
                   a.row_ptrs[row + rows + 1] - first <= limits.block_nonzeros) {
                ++rows;
            }
            parts.blocks.push_back({row, first, rows, a.row_ptrs[row + rows] - first, -1, -1, threads_of_a_row(rows)});
            row += rows;
            continue;
        }
        parts.in_long_rows += length;
        const offset_t pieces = length <= limits.whole_row ? 1 : div_up(length, limits.piece_nonzeros);
        const bool is_cut = pieces > 1;
        for (offset_t i = 0; i < pieces; ++i) {
            const offset_t begin = length * i / pieces;
            parts.blocks.push_back({row, first + begin, 1, length * (i + 1) / pieces - begin,
                                    is_cut ? parts.partials + i : -1,
                                    is_cut ? static_cast<std::int64_t>(parts.splits.size()) : -1, 5});
        }
        if (is_cut) {
            parts.splits.push_back({parts.partials, static_cast<std::uint32_t>(pieces)});
            parts.partials += static_cast<std::uint32_t>(pieces);
        }
        ++row;
    }
    return parts;
}

TEST(AdaptivePlan, IsThatOfTheRule) {
    for_each_plan([](const auto& a, const AdaptiveLimits& limits, const AdaptivePlan& plan) {
        EXPECT_TRUE(parts_of(plan) == expected_parts(a, limits));
    });
}

/// Row pointers of rows of these lengths.
std::vector<offset_t> row_ptrs_of(const std::vector<offset_t>& lengths) {
    std::vector<offset_t> row_ptrs{0};
    for (const offset_t length : lengths) row_ptrs.push_back(row_ptrs.back() + length);
    return row_ptrs;
}

TEST(AdaptivePlan, ReachesBeyond32Bits) {
    const auto plan = cuda::make_adaptive_plan(row_ptrs_of({5'000'000'000, 7}), {256, 2048, 8192});
    EXPECT_EQ(plan.partials, 610'352u);
    EXPECT_EQ(plan.blocks.back().first_nonzero, 5'000'000'000);
}

TEST(AdaptiveLimits, FollowTheMatrix) {
    const Gpu gpu{.multiprocessors = 132, .warps = 64};
    const auto few = cuda::adaptive_limits(1000, 64, gpu);
    EXPECT_EQ(few.threads, 64);
    EXPECT_EQ(few.block_nonzeros, 128);
    EXPECT_EQ(few.piece_nonzeros, 256);
    EXPECT_EQ(few.whole_row, 512);
    const auto many = cuda::adaptive_limits(1'000'000'000, 128, gpu);
    EXPECT_EQ(many.block_nonzeros, 1024);
    EXPECT_EQ(many.piece_nonzeros, 4096);
    EXPECT_EQ(many.whole_row, 4096);
}

}  // namespace
}  // namespace tilespmv::testing
