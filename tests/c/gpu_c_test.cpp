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

template <class T>
std::vector<T> to_host(const cuda::DeviceBuffer<T>& there) {
    std::vector<T> host(there.size());
    there.download(host, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    return host;
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
        const cuda::DeviceBuffer<std::int64_t> row_ptrs(3, nullptr);
        const cuda::DeviceBuffer<std::int32_t> cols(3, nullptr);
        const cuda::DeviceBuffer<double> back(3, nullptr);
        ASSERT_EQ(tilespmv_to_csr(a, row_ptrs.data(), cols.data(), back.data(), TILESPMV_DEVICE, nullptr), TILESPMV_OK)
            << tilespmv_last_error(a);
        EXPECT_THAT(to_host(row_ptrs), ElementsAre(0, 2, 3));
        EXPECT_THAT(to_host(cols), ElementsAre(0, 2, 1));
        EXPECT_THAT(to_host(back), ElementsAre(1, 1, 1));
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

/// In the library's memory and in the caller's, and in those that the matrix keeps, on streams of their own.
TEST_F(COnDevice, MultipliesInWorkspacesAtOnce) {
    tilespmv_matrix a = nullptr;
    ASSERT_EQ(tilespmv_load(&a, "gen:rmat:scale=14,degree=16", TILESPMV_FLOAT64, kOnGpu), TILESPMV_OK);
    const auto n = static_cast<std::size_t>(tilespmv_rows(a));
    for (const auto op : {TILESPMV_NONE, TILESPMV_TRANSPOSE}) {
        for (const int cols : {1, 3}) {
            std::int64_t bytes = 0;
            ASSERT_EQ(tilespmv_workspace_bytes(a, op, cols, &bytes), TILESPMV_OK) << tilespmv_last_error(a);
            ASSERT_GT(bytes, 0);
            const cuda::DeviceBuffer<std::byte> memory(static_cast<std::size_t>(bytes), nullptr);
            constexpr int kStreams = 8;  // more without a workspace than the matrix keeps
            tilespmv_workspace in[kStreams]{};
            EXPECT_EQ(tilespmv_workspace_create(&in[0], a, op, cols, memory.data(), bytes - 1), TILESPMV_USAGE);
            ASSERT_EQ(tilespmv_workspace_create(&in[0], a, op, cols, memory.data(), bytes), TILESPMV_OK);
            ASSERT_EQ(tilespmv_workspace_create(&in[1], a, op, cols, nullptr, 0), TILESPMV_OK);
            const std::size_t size = n * static_cast<std::size_t>(cols);
            std::vector<double> ones(size, 1);
            const auto x = on_gpu(ones);
            const auto block = [&](double* data) {
                return tilespmv_block{data, static_cast<std::int64_t>(n), cols,
                                      0,    TILESPMV_COLUMN_MAJOR,        TILESPMV_DEVICE};
            };
            const auto from = block(const_cast<double*>(x.data()));
            const cuda::DeviceBuffer<double> y(size, nullptr);
            std::vector<cuda::DeviceBuffer<double>> z;
            for (int i = 0; i < kStreams; ++i) z.emplace_back(size, nullptr);
            const auto expected = block(y.data());
            ASSERT_EQ(tilespmv_apply(a, op, 1, &from, 0, &expected, nullptr), TILESPMV_OK) << tilespmv_last_error(a);
            TILESPMV_CUDA(cudaDeviceSynchronize());
            {
                const cuda::Stream streams[kStreams];
                for (int i = 0; i < 10 * kStreams; ++i) {
                    const int k = i % kStreams;
                    const auto to = block(z[k].data());
                    ASSERT_EQ(tilespmv_apply_in(a, op, 1, &from, 0, &to, streams[k].get(), in[k]), TILESPMV_OK)
                        << tilespmv_last_error(a);
                }
                TILESPMV_CUDA(cudaDeviceSynchronize());
            }
            for (const auto& result : z) EXPECT_EQ(to_host(result), to_host(y));
            for (auto& w : in) tilespmv_workspace_destroy(&w);
        }
    }
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
