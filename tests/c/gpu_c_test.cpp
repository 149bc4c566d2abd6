// The C interface with arrays in the memory of a GPU, where they stay.
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/kernels/cuda/device_fixture.hpp"
#include "tools/c/tilespmv.h"

namespace tilespmv::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kOnGpu[] = {"device=cuda", nullptr};

/// 2 x 3: 1 0 2; 0 -3 0
struct ArraysOnGpu {
    cuda::DeviceBuffer<std::int32_t> narrow = on_gpu<std::int32_t>({0, 2, 3});
    cuda::DeviceBuffer<std::int64_t> wide = on_gpu<std::int64_t>({0, 2, 3});
    cuda::DeviceBuffer<std::int32_t> cols = on_gpu<std::int32_t>({0, 2, 1});
    cuda::DeviceBuffer<std::int64_t> wide_cols = on_gpu<std::int64_t>({0, 2, 1});
    cuda::DeviceBuffer<double> values = on_gpu<double>({1, 2, -3});

    [[nodiscard]] tilespmv_arrays csr() const {
        return {TILESPMV_FLOAT64,
                2,
                3,
                3,
                TILESPMV_INT32,
                narrow.data(),
                TILESPMV_INT32,
                cols.data(),
                values.data(),
                TILESPMV_DEVICE,
                TILESPMV_COPY,
                nullptr};
    }
};

std::vector<double> product(tilespmv_matrix a) {
    const std::vector<double> x{1, 10, 100};
    std::vector<double> y(2, 7);
    EXPECT_EQ(tilespmv_multiply(a, x.data(), y.data()), TILESPMV_OK) << tilespmv_last_error(a);
    return y;
}

using COnDevice = OnDevice;
TEST_F(COnDevice, TakesCsrCopiedOrBorrowed) {
    for (int form = 0; form < 6; ++form) {
        tilespmv_matrix a = nullptr;
        const ArraysOnGpu there;
        tilespmv_arrays csr = there.csr();
        if (form % 3 == 1) {
            csr.row_type = TILESPMV_INT64;
            csr.row_ptrs = there.wide.data();
        }
        if (form == 2) {  // these go by way of the host
            csr.col_type = TILESPMV_INT64;
            csr.cols_of = there.wide_cols.data();
        }
        if (form >= 3) csr.ownership = TILESPMV_BORROW;
        ASSERT_EQ(tilespmv_from_csr(&a, &csr, kOnGpu), TILESPMV_OK) << tilespmv_last_error(nullptr);
        EXPECT_EQ(tilespmv_device(a), TILESPMV_DEVICE);
        EXPECT_THAT(product(a), ElementsAre(201, -30));
        const auto values = on_gpu<double>({2, 3, 4});
        for (int i = 0; i < 2; ++i) {
            ASSERT_EQ(tilespmv_update_values(a, values.data(), 3, TILESPMV_DEVICE, nullptr), TILESPMV_OK);
            EXPECT_THAT(product(a), ElementsAre(302, 40));
        }
        const double of_host[] = {1, 1, 1};
        ASSERT_EQ(tilespmv_update_values(a, of_host, 3, TILESPMV_HOST, nullptr), TILESPMV_OK);
        EXPECT_THAT(product(a), ElementsAre(101, 10));
        tilespmv_destroy(&a);
    }
}

TEST_F(COnDevice, SumsEntriesInTheirOrder) {
    const auto rows = on_gpu<std::int32_t>({1, 0, 0, -1, 1, 0});
    const auto cols = on_gpu<std::int32_t>({1, 2, 0, 0, 1, 2});
    const auto values = on_gpu<double>({-1, 1, 1, 100, -2, 1});
    const tilespmv_arrays coo{TILESPMV_FLOAT64,
                              2,
                              3,
                              6,
                              TILESPMV_INT32,
                              rows.data(),
                              TILESPMV_INT32,
                              cols.data(),
                              values.data(),
                              TILESPMV_DEVICE,
                              TILESPMV_COPY,
                              nullptr};
    tilespmv_matrix a = nullptr;
    ASSERT_EQ(tilespmv_from_coo(&a, &coo, kOnGpu), TILESPMV_OK) << tilespmv_last_error(nullptr);
    EXPECT_EQ(tilespmv_nnz(a), 3);
    EXPECT_THAT(product(a), ElementsAre(201, -30));
    tilespmv_destroy(&a);
}

TEST_F(COnDevice, RefusesWhatIsWrong) {
    const ArraysOnGpu there;
    const auto outside = on_gpu<std::int32_t>({0, 3, 1});
    tilespmv_matrix a = nullptr;
    tilespmv_arrays csr = there.csr();
    csr.cols_of = outside.data();
    EXPECT_NE(tilespmv_from_csr(&a, &csr, kOnGpu), TILESPMV_OK);
    EXPECT_THAT(tilespmv_last_error(nullptr), HasSubstr("row 0 has column 3, expected 0 to 2"));
    csr = there.csr();
    csr.row_ptrs = outside.data();
    csr.col_type = TILESPMV_INT32;
    csr.cols_of = outside.data();
    EXPECT_EQ(tilespmv_from_coo(&a, &csr, kOnGpu), TILESPMV_USAGE);
    EXPECT_THAT(tilespmv_last_error(nullptr), HasSubstr("entry 1 is at row 3, column 3"));
    EXPECT_EQ(a, nullptr);
}

}  // namespace
}  // namespace tilespmv::testing
