#include "kernels/operators/csr_inode/inodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "selector/csr_shapes.hpp"
#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

struct Entry {
    index_t row = 0;
    index_t col = 0;
    double value = 0;
};

/// The CSR matrix with these nonzeros, those of a row in their order.
CsrMatrix<double> csr_of(index_t rows, index_t cols, std::vector<Entry> entries) {
    std::ranges::stable_sort(entries, {}, &Entry::row);
    CsrMatrix<double> csr{rows, cols, Buffer<offset_t>(static_cast<std::size_t>(rows) + 1, 0),
                          Buffer<index_t>(entries.size()), Buffer<double>(entries.size())};
    std::ranges::transform(entries, csr.col_idxs.begin(), &Entry::col);
    std::ranges::transform(entries, csr.values.begin(), &Entry::value);
    for (index_t r = 0; r < rows; ++r)
        csr.row_ptrs[r + 1] = std::ranges::upper_bound(entries, r, {}, &Entry::row) - entries.begin();
    return csr;
}

using cuda::CsrInodes;

CsrInodes make(const CsrMatrix<double>& a, int most_rows) {
    return cuda::make_inodes(a.row_ptrs, a.col_idxs, cuda::rows_alike(a.row_ptrs, a.col_idxs), most_rows);
}

std::vector<Entry> entries_of(const CsrInodes& a, const Buffer<double>& values) {
    std::vector<Entry> entries;
    for (std::int64_t i = 0; i < a.count(); ++i) {
        offset_t value = a.inodes[i].first_value;
        for (index_t r = a.inodes[i].first_row; r < a.inodes[i + 1].first_row; ++r) {
            for (auto c = a.inodes[i].first_col; c < a.inodes[i + 1].first_col; ++c)
                entries.push_back({r, a.col_idxs[c], values[value++]});
        }
    }
    return entries;
}

std::vector<index_t> first_rows(const CsrInodes& a) {
    std::vector<index_t> rows;
    for (const auto& inode : a.inodes) rows.push_back(inode.first_row);
    return rows;
}

/// Rows 0 to 6 alike, 7 with another column, 8 and 9 empty, 10 as 7.
CsrMatrix<double> seven_alike() {
    std::set<std::pair<index_t, index_t>> positions{{7, 2}, {7, 4}, {10, 2}, {10, 4}};
    for (index_t r = 0; r < 7; ++r) positions.insert({{r, 2}, {r, 3}});
    return matrix_of(11, 5, positions);
}

TEST(Inodes, GiveBackTheCsrFormExactly) {
    for (const auto& [name, a] : matrix_battery()) {
        for (const int most_rows : {1, 2, 6, 1000}) {
            SCOPED_TRACE(name + ", " + std::to_string(most_rows));
            EXPECT_EQ(csr_of(a.rows, a.cols, entries_of(make(a, most_rows), a.values)), a);
        }
    }
}

TEST(Inodes, TakeRowsThatAreAlikeUpToTheMost) {
    const auto a = seven_alike();
    EXPECT_EQ(cuda::rows_alike(a.row_ptrs, a.col_idxs), (std::vector<std::uint8_t>{0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0}));
    EXPECT_EQ(first_rows(make(a, 100)), (std::vector<index_t>{0, 7, 8, 10, 11}));
    EXPECT_EQ(first_rows(make(a, 3)), (std::vector<index_t>{0, 3, 6, 7, 8, 10, 11}));
    const auto inodes = make(a, 3);
    EXPECT_EQ(inodes.most_rows, 3);
    EXPECT_EQ(inodes.count(), 6);
    EXPECT_EQ(inodes.col_idxs, (Buffer<index_t>{2, 3, 2, 3, 2, 3, 2, 4, 2, 4}));
    EXPECT_EQ(inodes.inodes[2].first_value, 12);
    EXPECT_EQ(inodes.inodes[2].first_col, 4u);
    EXPECT_EQ(inodes.length(4), 0);
    EXPECT_EQ(inodes.inodes[6].first_value, a.nnz());
}

TEST(Inodes, OfAMatrixWithoutRowsAreNone) {
    EXPECT_EQ(make(matrix_of(0, 5, {}), 3).count(), 0);
    EXPECT_EQ(make(matrix_of(4, 5, {}), 3).count(), 2) << "empty rows are alike";
}

TEST(InodeShapes, HaveTheUnknownsOfANode) {
    for (const int unknowns : {2, 3, 5, 6}) {
        const auto a = generate<double>("fem:n=12,dof=" + std::to_string(unknowns));
        const auto lengths = inode_lengths(a.row_ptrs, cuda::rows_alike(a.row_ptrs, a.col_idxs));
        EXPECT_EQ(inode_shape(lengths, {}, {8, 8}, measured_gpu(8)).rows, unknowns);
    }
}

}  // namespace
}  // namespace tilespmv::testing
