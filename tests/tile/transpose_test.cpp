#include "tile/transpose.hpp"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/threads.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

/// For each column the rows and positions of its nonzeros, from the first row on.
std::vector<std::vector<std::pair<index_t, offset_t>>> columns_of(const CsrMatrix<double>& a) {
    std::vector<std::vector<std::pair<index_t, offset_t>>> columns(static_cast<std::size_t>(a.cols));
    for (index_t row = 0; row < a.rows; ++row) {
        for (auto p = a.row_ptrs[static_cast<std::size_t>(row)]; p < a.row_ptrs[static_cast<std::size_t>(row) + 1]; ++p)
            columns[static_cast<std::size_t>(a.col_idxs[static_cast<std::size_t>(p)])].emplace_back(row, p);
    }
    return columns;
}

void expect_transposed(const CsrMatrix<double>& a) {
    const auto t = transposed(a);
    ASSERT_EQ(t.matrix.rows, a.cols);
    ASSERT_EQ(t.matrix.cols, a.rows);
    ASSERT_EQ(t.matrix.nnz(), a.nnz());
    std::size_t at = 0;
    std::size_t col = 0;
    for (const auto& column : columns_of(a)) {
        ASSERT_EQ(static_cast<std::size_t>(t.matrix.row_ptrs[col++]), at);
        for (const auto& [row, position] : column) {
            ASSERT_EQ(t.matrix.col_idxs[at], row);
            ASSERT_EQ(t.matrix.values[at], a.values[static_cast<std::size_t>(position)]);
            ASSERT_EQ(t.positions[at++], position);
        }
    }
    EXPECT_EQ(static_cast<std::size_t>(t.matrix.row_ptrs[col]), at);
}

TEST(Transpose, IsTheSameWithAnyNumberOfThreads) {
    // The first: one column that most rows share.
    for (const char* name : {"arrow:n=3000", "uniform:n=700,cols=5000,per_row=9", "laplace2d:n=90",
                             "hypersparse:n=20000,nnz=900", "dense:rows=1,cols=3000"}) {
        const auto a = generate<double>(name);
        for (const int count : {1, 2, 3, 8, 40}) {
            SCOPED_TRACE(::testing::Message() << name << ", threads " << count);
            const test::Threads threads(count);
            expect_transposed(a);
        }
    }
}

}  // namespace
}  // namespace tilespmv
