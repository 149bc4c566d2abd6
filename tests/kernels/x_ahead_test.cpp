#include "kernels/cpu/x_ahead.hpp"

#include <gtest/gtest.h>

#include "kernels/cpu/cache_size.hpp"
#include "kernels/cpu/simd.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::cpu {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(XAhead, TellsScatteredMatricesFromThoseInLine) {
    for (const char* in_line : {"laplace2d:n=300", "laplace3d:n=40", "fem:n=12,dof=3", "banded:n=5000",
                                "delaunay:n=20000", "dense:rows=300,cols=300", "qcd:n=4"}) {
        EXPECT_LT(scattered_share(rows_of(generate<double>(in_line))), 0.05) << in_line;
    }
    for (const char* scattered : {"uniform:n=100000", "rmat:scale=17", "powerlaw:n=100000", "circuit:n=200000"}) {
        EXPECT_GT(scattered_share(rows_of(generate<double>(scattered))), 0.15) << scattered;
        EXPECT_GT(scattered_share(rows_of(generate<float>(scattered))), 0.15) << scattered;
    }
}

CsrRows<double> rows_with_access(const CsrMatrix<double>& a, std::size_t cache_bytes) {
    CsrRows<double> rows = rows_of(a);
    choose_x_access(rows, a.cols, cache_bytes);
    return rows;
}

TEST(XAhead, IsForXOutOfReachOrShortRows) {
    const auto long_rows = generate<double>("uniform:n=400000,per_row=8");
    EXPECT_GT(rows_with_access(long_rows, 4 * kMiB).x_ahead, 0);
    EXPECT_FALSE(rows_with_access(long_rows, 4 * kMiB).has_short_rows);
    EXPECT_EQ(rows_with_access(long_rows, 400 * kMiB).x_ahead, 0);
    const auto short_rows = generate<double>("uniform:n=400000,per_row=2");
    EXPECT_GT(rows_with_access(short_rows, 400 * kMiB).x_ahead, 0);
    EXPECT_TRUE(rows_with_access(short_rows, 400 * kMiB).has_short_rows);
    EXPECT_EQ(rows_with_access(generate<double>("uniform:n=20000,per_row=2"), 400 * kMiB).x_ahead, 0);
    EXPECT_EQ(rows_with_access(generate<double>("laplace2d:n=700"), kMiB).x_ahead, 0);
    const std::size_t x_bytes = 400'000 * sizeof(double);
    EXPECT_EQ(rows_with_access(long_rows, 4 * x_bytes).x_ahead, 0) << "a quarter of the cache";
    EXPECT_GT(rows_with_access(long_rows, 4 * x_bytes - 4).x_ahead, 0);
    const auto rows_of_four = generate<double>("uniform:n=400000,per_row=4");
    ASSERT_EQ(rows_of_four.nnz(), 4 * 400'000);
    EXPECT_FALSE(rows_with_access(rows_of_four, 4 * kMiB).has_short_rows);
    CsrRows<double> nothing;
    choose_x_access(nothing, 1 << 30, kMiB);
    EXPECT_EQ(nothing.x_ahead, 0);
}

/// With whole numbers, so that sums do not depend on their order.
std::vector<double> sums_of(const CsrMatrix<double>& a, Span nonzeros, offset_t ahead, bool short_rows) {
    CsrRows<double> rows = rows_of(a);
    rows.x_ahead = ahead;
    rows.has_short_rows = short_rows;
    Buffer<double> x(static_cast<std::size_t>(a.cols));
    for (index_t i = 0; i < a.cols; ++i) x[i] = i % 11 - 5;
    std::vector<double> sums(static_cast<std::size_t>(a.rows), 1.0);
    simd_kernels<double>().add_csr(rows, {0, a.rows}, nonzeros, 0, x.data(), sums.data());
    return sums;
}

TEST(XAhead, DoesNotChangeSums) {
    for (const char* specification : {"rmat:scale=10", "circuit:n=5000", "arrow:n=3000", "hypersparse:n=4000"}) {
        auto a = generate<double>(specification);
        for (offset_t i = 0; i < a.nnz(); ++i) a.values[i] = static_cast<double>(i % 7 - 3);
        for (const Span nonzeros : {Span{0, a.nnz()}, Span{0, 100}, Span{a.nnz() / 3, a.nnz() / 2}, Span{7, 7}}) {
            const auto expected = sums_of(a, nonzeros, 0, false);
            EXPECT_EQ(sums_of(a, nonzeros, 256, false), expected) << specification;
            EXPECT_EQ(sums_of(a, nonzeros, 256, true), expected) << specification;
        }
    }
}

TEST(CacheSize, IsThatOfSomeCache) { EXPECT_GE(last_level_cache_bytes(), kMiB / 4); }

}  // namespace
}  // namespace tilespmv::cpu
