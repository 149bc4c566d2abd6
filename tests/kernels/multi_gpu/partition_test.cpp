#include "kernels/multi_gpu/ranked_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::multi_gpu {
namespace {

using test::message_of;
using Starts = std::vector<index_t>;

std::span<const offset_t> ptrs_of(const CsrMatrix<double>& a) { return {a.row_ptrs.data(), a.row_ptrs.size()}; }

offset_t weight_of(const CsrMatrix<double>& a, const Partition& p, int part) {
    return a.row_ptrs[p.end(part)] - a.row_ptrs[p.first(part)] + kRowWeight * p.size(part);
}

// A start is nearest to its share, so it is off by half of the heaviest row at most; a part by one of them.
TEST(Partition, PartsWeighTheSameButForOneRow) {
    for (const auto& [name, a] : testing::matrix_battery()) {
        offset_t heaviest = 0;
        for (index_t row = 0; row < a.rows; ++row)
            heaviest = std::max(heaviest, a.row_ptrs[row + 1] - a.row_ptrs[row] + kRowWeight);
        for (int parts = 1; parts <= 8; ++parts) {
            SCOPED_TRACE(name + " in " + std::to_string(parts) + " parts");
            const Partition p = partition_by_nonzeros(ptrs_of(a), parts);
            require_partition(p, a.rows, parts);
            const offset_t share = (a.nnz() + kRowWeight * a.rows) / parts;
            for (int part = 0; part < parts; ++part) EXPECT_LE(std::abs(weight_of(a, p, part) - share), heaviest + 1);
        }
    }
}

TEST(Partition, FollowsNonzerosAndRows) {
    // Two rows of 90 nonzeros, then 20 of one.
    std::vector<offset_t> row_ptrs{0, 90, 180};
    for (int row = 0; row < 20; ++row) row_ptrs.push_back(row_ptrs.back() + 1);
    EXPECT_EQ(partition_by_nonzeros(row_ptrs, 2, 0), Partition(Starts{0, 1, 22}));
    EXPECT_EQ(partition_by_nonzeros(row_ptrs, 2, 9), Partition(Starts{0, 2, 22}));
    EXPECT_EQ(partition_by_nonzeros(row_ptrs, 2, 1000), Partition(Starts{0, 11, 22}));
}

TEST(Partition, EndsWhereItIsNearestToEqualShares) {
    EXPECT_EQ(partition_by_nonzeros(std::vector<offset_t>{0, 1, 2, 3, 4, 5, 6, 7}, 4, 0),
              Partition(Starts{0, 1, 3, 5, 7}));
    EXPECT_EQ(partition_by_nonzeros(std::vector<offset_t>{0, 3, 6}, 6, 0), Partition(Starts{0, 0, 1, 1, 1, 2, 2}));
}

TEST(Partition, HasMorePartsThanRows) {
    const std::vector<offset_t> row_ptrs{0, 3, 4};
    const Partition p = partition_by_nonzeros(row_ptrs, 5);
    index_t rows = 0;
    for (int part = 0; part < 5; ++part) rows += p.size(part);
    EXPECT_EQ(rows, 2);
    EXPECT_EQ(partition_by_nonzeros(std::vector<offset_t>{0}, 3), Partition(Starts{0, 0, 0, 0}));
}

TEST(Partition, KnowsOwners) {
    const Partition p(Starts{0, 0, 3, 3, 7, 7});
    EXPECT_EQ(p.owner(0), 1);
    EXPECT_EQ(p.owner(2), 1);
    EXPECT_EQ(p.owner(3), 3);
    EXPECT_EQ(p.owner(6), 3);
    EXPECT_EQ(p.size(0), 0);
    EXPECT_EQ(partition_evenly(7, 3), Partition(Starts{0, 2, 4, 7}));
}

TEST(Partition, SaysWhatIsWrong) {
    EXPECT_EQ(message_of([] { Partition(Starts{0}); }),
              "2: partition: 1 starts, expected one for each part and the number of rows");
    EXPECT_EQ(message_of([] { Partition(Starts{1, 2}); }), "2: partition: part 0 starts at row 1, expected 0");
    EXPECT_EQ(message_of([] {
                  Partition(Starts{0, 5, 4, 9});
              }),
              "2: partition: part 1 ends at row 4, before its start 5");
    EXPECT_EQ(message_of([] { partition_evenly(4, 0); }), "2: partition: 0 parts, expected at least 1");
    const Partition p(Starts{0, 4, 9});
    EXPECT_EQ(message_of([&] { require_partition(p, 9, 3); }), "2: partition: it has 2 parts, expected 3, one a rank");
    EXPECT_EQ(message_of([&] { require_partition(p, 8, 2); }), "2: partition: it has 9 rows, the matrix has 8");
    EXPECT_EQ(message_of([&] { require_partition(p, 9, 2); }), "0: ");
    const std::vector<offset_t> row_ptrs{0, 1};
    EXPECT_EQ(message_of([&] { partition_by_nonzeros(row_ptrs, 1, -1); }),
              "2: partition: a row weighs -1 nonzeros, expected at least 0");
}

}  // namespace
}  // namespace tilespmv::multi_gpu
