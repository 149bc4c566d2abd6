#include "kernels/solver/persistent_plan.hpp"

#include <optional>

#include <gtest/gtest.h>

#include "kernels/solver/vector_shapes.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

constexpr PersistentLimits kLimits{132, 220'000};

Buffer<offset_t> rows_of_length(index_t rows, offset_t length) {
    Buffer<offset_t> row_ptrs(static_cast<std::size_t>(rows) + 1);
    for (index_t row = 0; row <= rows; ++row) row_ptrs[static_cast<std::size_t>(row)] = row * length;
    return row_ptrs;
}

void expect_sound(const PersistentPlan& plan, const Buffer<offset_t>& row_ptrs) {
    ASSERT_GE(plan.blocks(), 1);
    EXPECT_LE(plan.blocks(), kMostTeamBlocks);
    EXPECT_EQ(plan.first_rows.front(), 0);
    EXPECT_EQ(plan.first_rows.back(), static_cast<index_t>(row_ptrs.size()) - 1);
    EXPECT_EQ(plan.threads % 32, 0);
    EXPECT_EQ(32 % plan.row_threads, 0);
    EXPECT_LE(plan.shared_bytes, kLimits.shared_bytes);
    for (std::size_t block = 1; block < plan.first_rows.size(); ++block) {
        const index_t first = plan.first_rows[block - 1];
        const index_t last = plan.first_rows[block];
        EXPECT_LE(first, last);
        EXPECT_LE(last - first, plan.most_rows);
        EXPECT_LE(row_ptrs[static_cast<std::size_t>(last)] - row_ptrs[static_cast<std::size_t>(first)],
                  plan.most_nonzeros);
    }
}

std::optional<PersistentPlan> find_plan(const Buffer<offset_t>& row_ptrs, const PersistentLimits& limits,
                                        bool any_size) {
    const std::size_t rows = row_ptrs.size() - 1;
    const auto divide = [&](int blocks, double row_cost) { return even_rows(row_ptrs, blocks, row_cost); };
    return plan_persistent(static_cast<index_t>(rows), row_ptrs[rows], divide, 8, limits, any_size);
}

PersistentPlan plan_of(const Buffer<offset_t>& row_ptrs) { return find_plan(row_ptrs, kLimits, true).value(); }

TEST(PersistentPlan, CoversTheRowsOfAnySize) {
    for (const index_t rows : {1, 2, 7, 8, 9, 100, 1056, 5000, 8000}) {
        for (const offset_t length : {0, 1, 5, 27, 200}) {
            SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(length));
            const auto row_ptrs = rows_of_length(rows, length);
            expect_sound(plan_of(row_ptrs), row_ptrs);
        }
    }
}

TEST(PersistentPlan, IsForSystemsOfSomeSizes) {
    const auto has_plan = [](index_t rows, offset_t length, bool any_size) {
        return find_plan(rows_of_length(rows, length), kLimits, any_size).has_value();
    };
    EXPECT_FALSE(has_plan(3000, 5, false)) << "graphs are faster";
    EXPECT_FALSE(has_plan(50'000, 5, false));
    EXPECT_TRUE(has_plan(50'000, 5, true));
    EXPECT_TRUE(has_plan(80'000, 5, false));
    EXPECT_TRUE(has_plan(20'000, 60, false));
    EXPECT_FALSE(has_plan(300'000, 5, false));
    EXPECT_TRUE(has_plan(300'000, 5, true));
    EXPECT_FALSE(has_plan(3'000'000, 5, true));
    EXPECT_FALSE(has_plan(0, 0, true));
    EXPECT_FALSE(find_plan(rows_of_length(80'000, 5), {0, 220'000}, true)) << "blocks cannot meet";
}

TEST(PersistentPlan, KeepsTheMatrixWhereItFits) {
    EXPECT_TRUE(plan_of(rows_of_length(50'000, 5)).keeps_matrix);
    const auto large = plan_of(rows_of_length(50'000, 60));
    EXPECT_FALSE(large.keeps_matrix);
    EXPECT_LT(large.shared_bytes, 50'000u);
}

TEST(PersistentPlan, LongRowsGetSeveralThreads) {
    EXPECT_EQ(plan_of(rows_of_length(50'000, 3)).row_threads, 1);
    EXPECT_GE(plan_of(rows_of_length(5'000, 60)).row_threads, 8);
    EXPECT_GE(plan_of(rows_of_length(100'000, 64)).row_threads, 4);
}

TEST(PersistentPlan, CostIsEven) {
    Buffer<offset_t> row_ptrs = rows_of_length(1000, 1);
    for (std::size_t row = 500; row < row_ptrs.size(); ++row)
        row_ptrs[row] = 499 + (static_cast<offset_t>(row) - 499) * 9;
    const auto first = even_rows(row_ptrs, 10, 0);
    for (std::size_t block = 1; block < first.size(); ++block) {
        const auto nonzeros = first[block].nonzeros - first[block - 1].nonzeros;
        EXPECT_EQ(first[block].nonzeros, row_ptrs[static_cast<std::size_t>(first[block].row)]);
        EXPECT_NEAR(static_cast<double>(nonzeros), static_cast<double>(row_ptrs[1000]) / 10, 10) << block;
    }
}

TEST(VectorShapes, AreWholePacksInFewEnoughBlocks) {
    for (const std::size_t n : {0UL, 1UL, 4096UL, 4097UL, 1'000'000UL, 100'000'000UL}) {
        for (const std::size_t bytes : {4UL, 8UL}) {
            const VectorShapes shapes = vector_shapes(n, bytes, 132);
            EXPECT_EQ(shapes.elementwise.elements % static_cast<int>(16 / bytes), 0);
            EXPECT_EQ(shapes.reducing.elements % static_cast<int>(16 / bytes), 0);
            EXPECT_LE(blocks_for(shapes.reducing, n), 4 * 132);
            EXPECT_EQ(blocks_for(shapes.reducing, n) == 1, n <= 4096);
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
