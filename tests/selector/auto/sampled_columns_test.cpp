// Features of a matrix of which only the sampled columns are at hand.
#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "selector/auto/matrix_features.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

offset_t diagonals_of(const CsrMatrix<double>& a) {
    std::set<offset_t> diagonals;
    for (std::size_t row = 0; row + 1 < a.row_ptrs.size(); ++row) {
        for (offset_t k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k)
            diagonals.insert(a.col_idxs[static_cast<std::size_t>(k)] - static_cast<offset_t>(row));
    }
    return static_cast<offset_t>(diagonals.size());
}

TEST(SampledColumns, AreAllThatFeaturesAreFoundFrom) {
    for (const char* generator :
         {"laplace2d:n=230", "fem:n=12,dof=3", "rmat:scale=14,degree=16", "arrow:n=90000", "dense:rows=640,cols=640",
          "banded:n=90000,half=3", "uniform:n=20,cols=90000,per_row=20000", "hypersparse:n=900000,nnz=300000",
          "laplace3d:n=40", "uniform:n=300,cols=90000,per_row=1500", "stencil27:n=30"}) {
        SCOPED_TRACE(generator);
        const auto a = generate<double>(generator);
        const PatternView whole = pattern_of(a);
        std::vector<index_t> columns(whole.col_idxs.size(), 0);
        std::size_t listed = 0;
        for (const auto& range : sampled_columns(whole)) {
            std::ranges::copy(range, columns.begin() + (range.data() - whole.col_idxs.data()));
            listed += range.size();
        }
        EXPECT_LE(listed, 900'000U);
        PatternView sampled = whole;
        sampled.col_idxs = columns;
        sampled.count_diagonals = [&] { return diagonals_of(a); };
        EXPECT_EQ(features_of(sampled), features_of(whole));
    }
}

TEST(SampledRowPtrs, AreAllThatFeaturesAreFoundFrom) {
    for (const char* generator :
         {"laplace2d:n=230", "fem:n=12,dof=3", "rmat:scale=14,degree=16", "arrow:n=90000", "dense:rows=640,cols=640",
          "banded:n=90000,half=3", "uniform:n=20,cols=90000,per_row=20000", "hypersparse:n=900000,nnz=300000",
          "laplace3d:n=40", "uniform:n=300,cols=90000,per_row=1500", "stencil27:n=30", "laplace2d:n=900"}) {
        SCOPED_TRACE(generator);
        const auto a = generate<double>(generator);
        const PatternView whole = pattern_of(a);
        constexpr offset_t kWrong = std::numeric_limits<offset_t>::min() / 4;
        std::vector<offset_t> row_ptrs(whole.row_ptrs.size(), kWrong);
        const RowStatistics of_rows = row_statistics(whole.row_ptrs);
        PatternView sampled = whole;
        sampled.row_ptrs = row_ptrs;
        sampled.of_rows = &of_rows;
        for (const auto& range : sampled_row_ptrs(sampled)) {
            const auto first = range.data() - row_ptrs.data();
            std::ranges::copy(whole.row_ptrs.subspan(static_cast<std::size_t>(first), range.size()),
                              row_ptrs.begin() + first);
        }
        sampled.count_diagonals = [&] { return diagonals_of(a); };
        EXPECT_EQ(sampled_columns(sampled).size(), sampled_columns(whole).size());
        EXPECT_EQ(features_of(sampled), features_of(whole));
    }
}

TEST(SampledColumns, OfAMatrixWithoutNonzerosAreNone) {
    const std::vector<offset_t> row_ptrs(3);
    EXPECT_TRUE(sampled_columns({2, 5, row_ptrs, {}}).empty());
}

}  // namespace
}  // namespace tilespmv
