#include "kernels/solver/preconditioner/sparse_product.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "tile/generate/generate.hpp"

namespace tilespmv::solver {
namespace {

TEST(ProductPattern, IsCountedBeforeItIsMade) {
    for (const char* name : {"arrow:n=300", "laplace2d:n=20", "rmat:scale=8,degree=6", "hypersparse:n=900,nnz=90"}) {
        const auto a = generate<double>(name);
        const auto whole = product_pattern(a, a);
        ASSERT_TRUE(whole);
        const auto exact = product_pattern(a, a, whole->nnz());
        ASSERT_TRUE(exact) << name;
        EXPECT_TRUE(std::ranges::equal(exact->col_idxs, whole->col_idxs)) << name;
        EXPECT_FALSE(product_pattern(a, a, whole->nnz() - 1)) << name;
    }
    // A row and a column of a million make 10^12 nonzeros: no time for them, even.
    const auto arrow = generate<double>("arrow:n=1000000");
    EXPECT_FALSE(product_pattern(arrow, arrow, 100'000'000));
}

}  // namespace
}  // namespace tilespmv::solver
