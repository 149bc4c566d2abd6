#include "kernels/operators/coo/coo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/check.hpp"
#include "kernels/registry.hpp"
#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

std::size_t csr_bytes(const CsrMatrix<double>& a) { return a.row_ptrs.bytes() + a.col_idxs.bytes() + a.values.bytes(); }

TEST(Coo, LeavesOutTheFirstNonzerosOfEachRow) {
    const auto a = matrix_of(4, 9, {{0, 1}, {0, 4}, {0, 7}, {2, 8}, {3, 0}, {3, 5}});
    const auto coo = make_coo(a, 1);
    EXPECT_EQ(coo.row_idxs, (Buffer<index_t>{0, 0, 3}));
    EXPECT_EQ(coo.col_idxs, (Buffer<index_t>{4, 7, 5}));
    EXPECT_EQ(coo.values, (Buffer<double>{a.values[1], a.values[2], a.values[5]}));
    EXPECT_EQ(make_coo(a, 3).nnz(), 0);
}

TEST(Coo, TakesOtherValuesIntoTheSamePlaces) {
    const auto a = generate<double>("rmat:scale=10,degree=20");  // pieces begin within rows
    auto other = a.clone();
    for (std::size_t k = 0; k < other.values.size(); ++k) other.values[k] = static_cast<double>(k) - 7.5;
    for (const offset_t skip : {0, 1, 9}) {
        auto coo = make_coo(a, skip);
        put_values(other, coo, skip);
        EXPECT_EQ(coo.values, make_coo(other, skip).values) << skip;
    }
}

TEST(Coo, EmptyRowsAreThoseWithoutNonzeros) {
    for (const auto& [name, a] : matrix_battery()) {
        const auto empty = empty_rows(a.row_ptrs);
        std::vector<std::uint32_t> expected;
        for (index_t r = 0; r < a.rows; ++r) {
            if (a.row_ptrs[r] == a.row_ptrs[r + 1]) expected.push_back(static_cast<std::uint32_t>(r));
        }
        EXPECT_TRUE(std::ranges::equal(empty, expected)) << name;
    }
}

TEST(Coo, BlocksKnowWhereTheirFirstRowBegins) {
    EXPECT_EQ(blocks_back(Buffer<index_t>{5, 5, 5, 5, 5, 6, 6, 6, 7, 8}, 2), (Buffer<std::uint32_t>{0, 1, 2, 1, 0}));
    for (const auto& [name, a] : matrix_battery()) {
        for (const int block : {1, 7, 896}) {
            SCOPED_TRACE(name + " in blocks of " + std::to_string(block));
            const auto coo = make_coo(a);
            const auto back = blocks_back(coo.row_idxs, block);
            ASSERT_EQ(back.size(), static_cast<std::size_t>(div_up(a.nnz(), offset_t{block})));
            for (std::size_t b = 0; b < back.size(); ++b) {
                const auto first = static_cast<offset_t>(b) * block;
                EXPECT_EQ(back[b], b - static_cast<std::size_t>(a.row_ptrs[coo.row_idxs[first]] / block));
            }
        }
    }
}

TEST(Coo, TakesItsNonzerosAndTheListOfEmptyRows) {
    for (const auto& [name, a] : matrix_battery()) {
        const auto op = make_operator<double>("coo-omp", a);
        EXPECT_EQ(op->matrix_bytes(), static_cast<std::size_t>(a.nnz()) * 16 + empty_rows(a.row_ptrs).size() * 4)
            << name;
        EXPECT_LE(op->matrix_bytes(), 2 * csr_bytes(a)) << name << ": it is never refused";
    }
}

/// Rows that end before, at and behind the ends of pieces, and rows of several pieces.
TEST(Coo, RowsAreRightWhereverPiecesEnd) {
    constexpr index_t cols = 9000;
    for (const index_t before : {0, 1, 2047, 2048, 2049, 4096}) {
        for (const index_t length : {1, 2, 2047, 2048, 4096, 5000}) {
            SCOPED_TRACE(std::to_string(before) + " nonzeros, then " + std::to_string(length));
            std::set<std::pair<index_t, index_t>> positions;
            for (index_t c = 0; c < before; ++c) positions.emplace(1, c);
            for (index_t c = 0; c < length; ++c) positions.emplace(2, c);
            positions.emplace(4, 3);
            const auto a = matrix_of(6, cols, positions);
            std::vector<double> x(cols);
            for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<double>(i));
            std::vector<double> y(6, 7.0);
            const auto expected = expected_product<double>(a, 2, x, -1, y);
            make_operator<double>("coo-omp", a)->apply(2, x, -1, y);
            const auto result = check_product<double>(expected, y);
            EXPECT_TRUE(result.ok) << result.message();
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
