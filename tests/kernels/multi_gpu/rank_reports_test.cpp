#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::multi_gpu {
namespace {

using ::testing::HasSubstr;

// An arrow of 6 rows: row 0 and column 0 are full.
TEST(RankedSolver, SaysWhatEachRankHas) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 6; ++i) positions.insert({{0, i}, {i, 0}, {i, i}});
    auto a = testing::matrix_of(6, 6, positions);
    for (index_t r = 0; r < 6; ++r) {
        for (offset_t p = a.row_ptrs[r]; p < a.row_ptrs[r + 1]; ++p) a.values[p] = a.col_idxs[p] == r ? 9 : -1;
    }
    const auto ranks = make_cpu_ranked_solver(a, {.ranks = 3, .partition = Partition({0, 1, 4, 6})});
    const auto found = ranks.reports();
    ASSERT_EQ(found.size(), 3u);
    const RankReport expected[] = {
        {1, 1, 5, 5, 2, "", "", ""}, {3, 3, 3, 1, 3, "", "", ""}, {2, 2, 2, 1, 2, "", "", ""}};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(found[i].rows, expected[i].rows) << i;
        EXPECT_EQ(found[i].interior_nonzeros, expected[i].interior_nonzeros) << i;
        EXPECT_EQ(found[i].boundary_nonzeros, expected[i].boundary_nonzeros) << i;
        EXPECT_EQ(found[i].halo, expected[i].halo) << i;
        EXPECT_EQ(found[i].sent, expected[i].sent) << i;
        EXPECT_THAT(found[i].how, HasSubstr("CPU, ")) << i;
        EXPECT_EQ(found[i].operator_name, found[i].operator_specification.substr(0, found[i].operator_name.size()));
    }
}

}  // namespace
}  // namespace tilespmv::multi_gpu
