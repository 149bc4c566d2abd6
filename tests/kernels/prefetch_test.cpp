#include <gtest/gtest.h>

#include <vector>

#include "kernels/cpu/cache_size.hpp"
#include "kernels/cpu/simd.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::cpu {
namespace {

/// With whole numbers, so that sums do not depend on their order.
std::vector<double> sums_of(const CsrMatrix<double>& a, Span nonzeros, XAccess x_access) {
    CsrRows<double> rows = rows_of(a);
    rows.x_access = x_access;
    Buffer<double> x(static_cast<std::size_t>(a.cols));
    for (index_t i = 0; i < a.cols; ++i) x[i] = i % 11 - 5;
    std::vector<double> sums(static_cast<std::size_t>(a.rows), 1.0);
    simd_kernels<double>().add_csr(rows, {0, a.rows}, nonzeros, 0, x.data(), sums.data());
    return sums;
}

TEST(Prefetch, DoesNotChangeSums) {
    for (const char* specification : {"rmat:scale=10", "circuit:n=5000", "arrow:n=3000", "hypersparse:n=4000"}) {
        auto a = generate<double>(specification);
        for (offset_t i = 0; i < a.nnz(); ++i) a.values[i] = static_cast<double>(i % 7 - 3);
        for (const Span nonzeros : {Span{0, a.nnz()}, Span{0, 100}, Span{a.nnz() / 3, a.nnz() / 2}, Span{7, 7}}) {
            const auto expected = sums_of(a, nonzeros, {});
            EXPECT_EQ(sums_of(a, nonzeros, {256, false}), expected) << specification;
            EXPECT_EQ(sums_of(a, nonzeros, {256, true}), expected) << specification;
        }
    }
}

TEST(CacheSize, IsThatOfSomeCache) { EXPECT_GE(last_level_cache_bytes(), std::size_t{1} << 18); }

}  // namespace
}  // namespace tilespmv::cpu
