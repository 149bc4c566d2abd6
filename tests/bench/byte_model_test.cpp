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

TEST(ByteModel, BetaReadsYOnceMoreBeyond32BitsToo) {
    constexpr index_t most = 2147483647;
    ProductShape shape{.matrix_bytes = 1000, .rows = most, .cols = 20, .value_bytes = 4};
    EXPECT_EQ(product_bytes(shape), 1000u + 20 * 4 + std::uint64_t{most} * 4);
    shape.reads_y = true;
    EXPECT_EQ(product_bytes(shape), 1000u + 20 * 4 + std::uint64_t{most} * 8);
}

TEST(ByteModel, TwoFlopsANonzero) { EXPECT_EQ(product_flops(offset_t{3'000'000'000}), 6e9); }

}  // namespace
}  // namespace tilespmv::bench
