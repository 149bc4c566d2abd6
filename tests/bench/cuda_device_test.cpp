#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "bench/harness/candidate.hpp"
#include "bench/harness/cuda_bandwidth.hpp"
#include "bench/harness/cuda_device.hpp"
#include "bench/harness/cuda_stream_device.hpp"
#include "tile/error.hpp"

namespace tilespmv::bench {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(CudaBandwidth, ArraysAreMuchLargerThanTheCacheButLeaveMemoryFree) {
    EXPECT_EQ(cuda_bandwidth_array_bytes(50 * kMiB, 100'000 * kMiB), 1600 * kMiB);
    EXPECT_EQ(cuda_bandwidth_array_bytes(4 * kMiB, 100'000 * kMiB), 1024 * kMiB);
    EXPECT_EQ(cuda_bandwidth_array_bytes(50 * kMiB, 400 * kMiB), 100 * kMiB);
}

// Skips, visibly, on machines without an available GPU.
class CudaDeviceOnGpu : public testing::Test {
protected:
    void SetUp() override {
        try {
            device_ = make_cuda_device();
        } catch (const Error& error) {
            if (error.code() != ExitCode::unavailable) throw;
            GTEST_SKIP() << error.what();
        }
    }

    std::unique_ptr<Device> device_;
};

TEST_F(CudaDeviceOnGpu, StopwatchMeasuresTheWorkOnTheStream) {
    const cudaStream_t stream = dynamic_cast<CudaDevice&>(*device_).stream();
    device_->stopwatch().start();
    const double nothing = device_->stopwatch().stop();
    device_->stopwatch().start();
    launch_delay(2'000'000, stream);
    const double delay = device_->stopwatch().stop();
    EXPECT_LT(nothing, 1e-4);
    EXPECT_GE(delay, 1.9e-3);
    EXPECT_LT(delay, 1e-2);
}

TEST_F(CudaDeviceOnGpu, BandwidthIsWithinReasonAndMeasuredOnce) {
    const Bandwidth& b = device_->bandwidth();
    for (const double rate : {b.read, b.copy, b.triad}) {
        EXPECT_GT(rate, 1e10);
        EXPECT_LT(rate, 1e14);
    }
    EXPECT_EQ(&device_->bandwidth(), &b);
}

TEST_F(CudaDeviceOnGpu, FlushesMoreThanOnce) {
    EXPECT_GT(device_->cache_bytes(), 0u);
    for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(device_->flush_cache());
    device_->stopwatch().start();
    EXPECT_GE(device_->stopwatch().stop(), 0);
}

TEST_F(CudaDeviceOnGpu, ProductsAreRightAndPoisonLeavesNoRightRow) {
    const CsrMatrix<double> a{
        .rows = 3, .cols = 2, .row_ptrs = {0, 1, 1, 3}, .col_idxs = {0, 0, 1}, .values = {1, 2, 3}};
    const Buffer<double> x = make_x<double>(2);
    const std::span<const double> x_span(x.data(), x.size());
    const ExpectedProduct expected = expected_product<double>(a, 1.0, x_span, 0.0, {});
    for (const auto& entry : operators<double>(Backend::cuda)) {
        const auto build = make_candidate<double>(*device_, std::string(entry.name), "paper").bind(a, x_span);
        for (int i = 0; i < 2; ++i) {  // the second shares the vectors of the first
            const auto product = build();
            product->poison();
            EXPECT_TRUE(std::isnan(product->check(expected).found)) << entry.name;
            product->run();
            EXPECT_TRUE(product->check(expected).ok) << entry.name;
            EXPECT_GE(product->device_bytes(), product->matrix_bytes()) << entry.name;
            EXPECT_EQ(product->stored().formats.empty(), entry.made_from != Form::tiles) << entry.name;
            ASSERT_EQ(product->executed().size(), 1u) << entry.name;
            EXPECT_EQ(product->executed()[0].nnz, 3) << entry.name;
            EXPECT_EQ(product->executed()[0].bytes, product->matrix_bytes()) << entry.name;
        }
    }
}

}  // namespace
}  // namespace tilespmv::bench
