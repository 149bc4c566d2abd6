#include "kernels/csr/defaults.hpp"

#include <gtest/gtest.h>

#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

TEST(CsrVectorDefaults, AThreadHasAtMostFourNonzerosOfAMeanRow) {
    EXPECT_EQ(threads_per_row(0, 0), 2);
    EXPECT_EQ(threads_per_row(100, 0), 2);
    EXPECT_EQ(threads_per_row(100, 800), 2);
    EXPECT_EQ(threads_per_row(100, 801), 4);
    EXPECT_EQ(threads_per_row(100, 1700), 8);
    EXPECT_EQ(threads_per_row(100, 6400), 16);
    EXPECT_EQ(threads_per_row(100, 6401), 32);
    EXPECT_EQ(threads_per_row(1, 1'000'000'000'000), 32);
    EXPECT_EQ(threads_per_row(2'000'000'000, 60'000'000'000), 8);
}

MultiroundShape shape_of(const char* specification, index_t rows, offset_t nnz) {
    Options options("operator", specification);
    return multiround_shape(options, rows, nnz);
}

TEST(CsrMultiroundDefaults, FillARoundWithMeanRows) {
    EXPECT_EQ(shape_of("csr-multiround", 0, 0), (MultiroundShape{256, 256, 8, 1}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 5000), (MultiroundShape{256, 256, 8, 1}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 7000), (MultiroundShape{256, 256, 8, 1}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 7001), (MultiroundShape{128, 256, 8, 2}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 27000), (MultiroundShape{64, 256, 8, 4}));
    EXPECT_EQ(shape_of("csr-multiround", 1000, 1'000'000'000'000), (MultiroundShape{8, 256, 8, 32}));
}

TEST(CsrMultiroundDefaults, FollowTheOptionsThatAreGiven) {
    EXPECT_EQ(shape_of("csr-multiround:threads=64", 1000, 27000), (MultiroundShape{16, 64, 8, 4}));
    EXPECT_EQ(shape_of("csr-multiround:group=16", 1000, 5000), (MultiroundShape{16, 256, 8, 16}));
    EXPECT_EQ(shape_of("csr-multiround:rows=100", 1000, 27000), (MultiroundShape{100, 256, 8, 2}));
    EXPECT_EQ(shape_of("csr-multiround:products=1", 1000, 7000), (MultiroundShape{32, 256, 1, 8}));
    EXPECT_EQ(shape_of("csr-multiround:rows=3,threads=512,products=2,group=32", 1000, 5000),
              (MultiroundShape{3, 512, 2, 32}));
}

TEST(CsrMultiroundDefaults, RefuseMoreRowsThanGroups) {
    for (const char* specification : {"csr-multiround:rows=257", "csr-multiround:rows=65,group=4",
                                      "csr-multiround:threads=64,group=32,rows=3", "csr-multiround:rows=0"}) {
        EXPECT_THROW(shape_of(specification, 1000, 5000), Error) << specification;
    }
    try {
        shape_of("csr-multiround:rows=65,group=4", 1000, 5000);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_STREQ(error.what(),
                     "csr-multiround: 65 rows of a block with 4 threads each need 260 threads, it has 256");
    }
    EXPECT_EQ(shape_of("csr-multiround:rows=64,group=4", 1000, 5000).rows, 64);
}

}  // namespace
}  // namespace tilespmv::cuda
