#include "kernels/cpu/x_ahead.hpp"

#include <gtest/gtest.h>

#include "kernels/cpu/cache_size.hpp"
#include "kernels/cpu/simd.hpp"
#include "tile/generate.hpp"

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

TEST(XAhead, IsForXOutOfReachOrShortRows) {
    const auto long_rows = generate<double>("uniform:n=400000,per_row=8");
    EXPECT_GT(x_ahead(rows_of(long_rows), long_rows.cols, 4 * kMiB), 0);
    EXPECT_EQ(x_ahead(rows_of(long_rows), long_rows.cols, 400 * kMiB), 0);
    const auto short_rows = generate<double>("uniform:n=400000,per_row=2");
    EXPECT_GT(x_ahead(rows_of(short_rows), short_rows.cols, 400 * kMiB), 0);
    const auto small = generate<double>("uniform:n=20000,per_row=2");
    EXPECT_EQ(x_ahead(rows_of(small), small.cols, 400 * kMiB), 0);
    const auto in_line = generate<double>("laplace2d:n=700");
    EXPECT_EQ(x_ahead(rows_of(in_line), in_line.cols, kMiB), 0);
    EXPECT_EQ(x_ahead(CsrRows<double>{}, 1 << 30, kMiB), 0);
}

TEST(XAhead, DoesNotChangeSums) {
    const auto a = generate<double>("rmat:scale=10");
    Buffer<double> x(static_cast<std::size_t>(a.cols));
    for (index_t i = 0; i < a.cols; ++i) x[i] = 1.0 / (1 + i);
    const auto sums_with = [&](offset_t ahead, Span nonzeros) {
        CsrRows<double> rows = rows_of(a);
        rows.x_ahead = ahead;
        std::vector<double> sums(static_cast<std::size_t>(a.rows), 0.0);
        simd_kernels<double>().add_csr(rows, {0, a.rows}, nonzeros, 0, x.data(), sums.data());
        return sums;
    };
    for (const Span nonzeros : {Span{0, a.nnz()}, Span{0, 100}, Span{a.nnz() / 3, a.nnz() / 2}}) {
        EXPECT_EQ(sums_with(256, nonzeros), sums_with(0, nonzeros));
    }
}

TEST(CacheSize, IsThatOfSomeCache) { EXPECT_GE(last_level_cache_bytes(), kMiB / 4); }

}  // namespace
}  // namespace tilespmv::cpu
