#include "kernels/baseline/merge_path.hpp"

#include <gtest/gtest.h>

#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

TEST(MergePath, ListsTheEndOfARowBehindItsNonzeros) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        std::int64_t item = 0;
        for (index_t row = 0; row < a.rows; ++row) {
            for (offset_t k = a.row_ptrs[row]; k <= a.row_ptrs[row + 1]; ++k) {
                ASSERT_EQ(baseline::row_ends_before(a.row_ptrs.data(), a.rows, item), row) << "item " << item;
                ++item;
            }
        }
        EXPECT_EQ(item, a.rows + a.nnz());
        EXPECT_EQ(baseline::row_ends_before(a.row_ptrs.data(), a.rows, item), a.rows);
    }
}

TEST(MergePath, HoldsOffsetsBeyond32Bits) {
    const std::vector<offset_t> row_ptrs{0, 5'000'000'000, 5'000'000'000, 9'000'000'000};
    EXPECT_EQ(baseline::row_ends_before(row_ptrs.data(), 3, 5'000'000'000), 0);
    EXPECT_EQ(baseline::row_ends_before(row_ptrs.data(), 3, 5'000'000'001), 1);
    EXPECT_EQ(baseline::row_ends_before(row_ptrs.data(), 3, 5'000'000'002), 2);
    EXPECT_EQ(baseline::row_ends_before(row_ptrs.data(), 3, 9'000'000'003), 3);
}

}  // namespace
}  // namespace tilespmv::testing
