#include "bench/harness/byte_model.hpp"

#include <gtest/gtest.h>

namespace tilespmv::bench {
namespace {

// 5-point Laplacian on an n x n grid as CSR with 64-bit row pointers, 32-bit columns and 64-bit values.
TEST(ByteModel, CsrOfAFivePointGrid) {
    constexpr std::uint64_t n = 100, rows = n * n, nnz = 5 * rows - 4 * n;
    constexpr std::uint64_t csr_bytes = 8 * (rows + 1) + (4 + 8) * nnz;
    constexpr std::uint64_t bytes =
        product_bytes({.matrix_bytes = csr_bytes, .rows = rows, .cols = rows, .value_bytes = 8});
    EXPECT_EQ(bytes, 12 * nnz + 24 * rows + 8);
}

TEST(ByteModel, BetaReadsYOnceMore) {
    const ProductShape shape{.matrix_bytes = 1000, .rows = 30, .cols = 20, .value_bytes = 4};
    ProductShape with_beta = shape;
    with_beta.reads_y = true;
    EXPECT_EQ(product_bytes(shape), 1000u + 20 * 4 + 30 * 4);
    EXPECT_EQ(product_bytes(with_beta), product_bytes(shape) + 30 * 4);
}

TEST(ByteModel, DimensionsBeyond32BitProducts) {
    constexpr index_t most = 2147483647;
    EXPECT_EQ(product_bytes({.matrix_bytes = 0, .rows = most, .cols = most, .value_bytes = 8}),
              16 * std::uint64_t{2147483647});
}

TEST(ByteModel, TwoFlopsANonzero) { EXPECT_EQ(product_flops(offset_t{3'000'000'000}), 6e9); }

}  // namespace
}  // namespace tilespmv::bench
