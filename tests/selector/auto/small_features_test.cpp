#include <vector>

#include <gtest/gtest.h>

#include "selector/auto/matrix_features.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

TEST(SmallFeatures, AreThoseOfTheWholeMatrix) {
    for (const char* generator :
         {"laplace2d:n=40", "fem:n=4,dof=3", "rmat:scale=10,degree=8", "arrow:n=2000", "hypersparse:n=9000,nnz=800",
          "dense:rows=64,cols=64", "banded:n=900,half=3", "uniform:n=20,cols=90000,per_row=40", "laplace2d:n=210",
          "hypersparse:n=500000,nnz=300000"}) {
        const auto a = generate<float>(generator);
        const MatrixFeatures all = features_of(pattern_of(a));
        MatrixFeatures f = small_features_of(pattern_of(a));
        EXPECT_EQ(f.inode_rows, 0) << "not asked for";
        EXPECT_EQ(f.diagonals, 0);
        for (const auto which : {FurtherFeatures::inodes, FurtherFeatures::diagonals})
            add_further_features(pattern_of(a), which, f);
        EXPECT_EQ(f.sizes(), all.sizes());
        EXPECT_EQ(f.rows, all.rows);
        EXPECT_EQ(f.cols, all.cols);
        EXPECT_EQ(f.nnz, all.nnz);
        EXPECT_EQ(f.mean_row, all.mean_row);
        EXPECT_EQ(f.row_deviation, all.row_deviation);
        EXPECT_EQ(f.longest_row, all.longest_row);
        EXPECT_EQ(f.empty_rows, all.empty_rows);
        EXPECT_EQ(f.row_rounds, all.row_rounds);
        EXPECT_EQ(f.narrow_share, all.narrow_share) << generator;
        EXPECT_EQ(f.x_sectors, all.x_sectors) << generator;
        EXPECT_EQ(f.inode_rows, all.inode_rows) << generator;
        EXPECT_EQ(f.full_tile_share, 0);
        const auto places = [&](offset_t diagonals) {
            return static_cast<double>(diagonals) * f.rows / static_cast<double>(f.nnz);
        };
        if (places(all.diagonals) <= kMostDiaPlaces)
            EXPECT_EQ(f.diagonals, all.diagonals) << generator;
        else
            EXPECT_GE(f.diagonals, all.diagonals) << generator;
    }
    const std::vector<offset_t> row_ptrs(3);
    const PatternView empty{2, 5, row_ptrs, {}};
    auto none = small_features_of(empty);
    add_further_features(empty, FurtherFeatures::diagonals, none);
    EXPECT_EQ(none.empty_rows, 1);
    EXPECT_EQ(none.x_sectors, 0);
}

// One thread stops where DIA does not pay, threads of larger matrices do not.
TEST(SmallFeatures, SayThatThereAreTooManyDiagonals) {
    const auto a = generate<double>("rmat:scale=8,degree=4");
    MatrixFeatures f = small_features_of(pattern_of(a));
    add_further_features(pattern_of(a), FurtherFeatures::diagonals, f);
    EXPECT_EQ(f.diagonals, kMostDiagonals);
    EXPECT_LT(features_of(pattern_of(a)).diagonals, kMostDiagonals);
}

TEST(SmallFeatures, FindADiagonalOfOneNonzero) {
    // 5 points of a grid, and in one row far away a nonzero on a diagonal of its own.
    auto a = generate<double>("laplace2d:n=30");
    const auto diagonals = [&] {
        MatrixFeatures f = small_features_of(pattern_of(a));
        add_further_features(pattern_of(a), FurtherFeatures::diagonals, f);
        return f.diagonals;
    };
    EXPECT_EQ(diagonals(), 5);
    for (const std::size_t row : {450, 451, 452, 465, 478, 479}) {  // at the ends of a line and within
        index_t& column = a.col_idxs[static_cast<std::size_t>(a.row_ptrs[row])];
        column -= 7;
        EXPECT_EQ(diagonals(), 6) << row;
        column += 7;
    }
}

}  // namespace
}  // namespace tilespmv
