#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "bench/harness/cuda_axpy.hpp"
#include "bench/harness/cuda_device.hpp"
#include "bench/harness/cuda_stream_device.hpp"
#include "bench/harness/experiment.hpp"
#include "kernels/cuda/memory_rates.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::bench {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(CudaBandwidth, ArraysAreMuchLargerThanTheCacheButLeaveMemoryFree) {
    EXPECT_EQ(cuda::memory_rates_array_bytes(50 * kMiB, 100'000 * kMiB), 1600 * kMiB);
    EXPECT_EQ(cuda::memory_rates_array_bytes(4 * kMiB, 100'000 * kMiB), 1024 * kMiB);
    EXPECT_EQ(cuda::memory_rates_array_bytes(50 * kMiB, 400 * kMiB), 100 * kMiB);
}

class CudaDeviceOnGpu : public tilespmv::testing::OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (!IsSkipped()) device_ = make_cuda_device();
    }

    std::unique_ptr<Device> device_;
};

TEST_F(CudaDeviceOnGpu, StopwatchMeasuresTheWorkOnTheStream) {
    const cudaStream_t stream = dynamic_cast<CudaDevice&>(*device_).stream();
    device_->stopwatch().start();
    const double nothing = device_->stopwatch().stop();
    device_->stopwatch().start();
    cuda::launch_delay(2'000'000, stream);
    const double delay = device_->stopwatch().stop();
    EXPECT_LT(nothing, 1e-4);
    EXPECT_GE(delay, 1.9e-3);
    EXPECT_LT(delay, 1e-2);
}

TEST_F(CudaDeviceOnGpu, BandwidthIsWithinReasonAndMeasuredOnce) {
    const Bandwidth& b = device_->bandwidth();
    for (const double rate : {b.read, b.copy}) {
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
        const ProductKind kinds[] = {{}, {.is_from_gpu = true}};
        ProductBuilder build;
        for (int i = 0; i < 4; ++i) {  // the second shares the vectors of the first
            if (i % 2 == 0)
                build = make_candidate<double>(*device_, std::string(entry.name), "paper", {}, kinds[i / 2])
                            .bind(a, x_span);
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

TEST_F(CudaDeviceOnGpu, ARecordedGraphDoesItsWorkAtEveryLaunch) {
    const cudaStream_t stream = dynamic_cast<CudaDevice&>(*device_).stream();
    cuda::DeviceBuffer<double> x(1000, stream), z(1000, stream);
    const std::vector<double> zeros(x.size(), 0), eights(x.size(), 8);
    x.upload(zeros, stream);
    z.upload(eights, stream);
    const auto replay = device_->record([&] { launch_axpy<double>(x.span(), z.span(), stream); });
    const auto value = [&] {
        std::vector<double> values(x.size());
        x.download(values, stream);
        TILESPMV_CUDA(cudaStreamSynchronize(stream));
        EXPECT_EQ(std::ranges::count(values, values[0]), 1000);
        return values[0];
    };
    EXPECT_EQ(value(), 4) << "once before it was recorded";
    replay();
    EXPECT_EQ(value(), 6);
    replay();
    replay();
    EXPECT_EQ(value(), 7.5);
}

// A stream whose capture failed can be used again.
TEST_F(CudaDeviceOnGpu, WorkThatThrowsIsNotRecorded) {
    int calls = 0;
    EXPECT_THROW(static_cast<void>(device_->record([&] {
                     if (++calls == 2) throw Error("no more");
                 })),
                 Error);
    EXPECT_NO_THROW(device_->flush_cache());
    device_->stopwatch().start();
    EXPECT_GE(device_->stopwatch().stop(), 0);
}

template <Value V>
void expect_right_after_axpys(Device& device) {
    const auto a = generate<V>("uniform:n=300,cols=2000,per_row=5");
    const Buffer<V> x = make_x<V>(a.cols);
    const std::span<const V> x_span(x.data(), x.size());
    const ExpectedProduct expected = expected_product<V>(a, 1, x_span, 0, {});
    const auto product = make_candidate<V>(device, "csr-vector", "").bind(a, x_span)();
    for (int i = 0; i < 3; ++i) {
        product->run_axpy();
        product->poison();
        product->run();
        EXPECT_TRUE(product->check(expected).ok) << value_name<V>();
    }
}

TEST_F(CudaDeviceOnGpu, AnAxpyLeavesXAsItIs) {
    expect_right_after_axpys<double>(*device_);
    expect_right_after_axpys<float>(*device_);
    expect_right_after_axpys<Half>(*device_);
    expect_right_after_axpys<Bfloat16>(*device_);
}

// Vectors of a chain on the CPU, for every step.
class ExpectedChain {
public:
    explicit ExpectedChain(const CsrMatrix<double>& a, std::span<const double> x)
        : scales(chain_scales<double>(a, x)),
          product_(host_product_builder(choose_operator<double>(Backend::cpu, "csr-omp"), "", a, x)()) {
        run_chain(scales, kChainProducts, [&](double scale, ChainVector from, ChainVector to) {
            product_->run_chained(scale, from, to);
            last = product_->chained(to);
        });
    }

    std::vector<double> scales;
    std::vector<double> last;

private:
    std::unique_ptr<Product> product_;
};

void expect_close(const std::vector<double>& found, const std::vector<double>& expected, const std::string& name) {
    ASSERT_EQ(found.size(), expected.size()) << name;
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-9) << name << " at " << i;
}

// What a product waits for is written by the launch right before it.
TEST_F(CudaDeviceOnGpu, ChainsOfEveryOperatorAreRightAsLaunchesAndAsGraphs) {
    const auto a = generate<double>("laplace2d:n=60,contrast=0.5");
    const Buffer<double> x = make_x<double>(a.cols);
    const std::span<const double> x_span(x.data(), x.size());
    const ExpectedChain expected(a, x_span);
    for (const auto& entry : operators<double>(Backend::cuda)) {
        const std::string name(entry.name);
        const auto product = make_candidate<double>(*device_, name, "paper").bind(a, x_span)();
        const auto chain = [&] {
            run_chain(expected.scales, kGraphProducts,
                      [&](double scale, ChainVector from, ChainVector to) { product->run_chained(scale, from, to); });
        };
        const auto replay = device_->record(chain);  // runs it, too
        expect_close(product->chained(ChainVector::other), expected.last, name);
        for (int i = 0; i < 3; ++i) {
            product->run_chained(0, ChainVector::first, ChainVector::other);
            replay();
            expect_close(product->chained(ChainVector::other), expected.last, name + " in a graph");
        }
        const auto check = expected_product<double>(a, 1, x_span, 0, {});
        product->run();
        EXPECT_TRUE(product->check(check).ok) << name;
    }
}

TEST_F(CudaDeviceOnGpu, EveryModeIsMeasured) {
    MeasureOptions options;
    options.modes = {kModes.begin(), kModes.end()};
    options.warm = options.cold = options.preprocess = {.min_samples = 6, .max_samples = 6, .min_seconds = 0};
    options.baselines = {"csr-vector"};
    for (const char* kind : {"laplace2d:n=50", "uniform:n=300,cols=2000,per_row=5"}) {
        Experiment<double> experiment{kind, [kind] { return generate<double>(kind); }, {}};
        for (const auto& entry : operators<double>(Backend::cuda)) {
            if (entry.name != "csr-vector" && entry.name != "csr-merge" && entry.name != "cusparse-csr") continue;
            experiment.candidates.push_back(make_candidate<double>(*device_, std::string(entry.name), ""));
        }
        for (const Result& r : measure(experiment, options, *device_)) {
            EXPECT_EQ(r.status, Status::ok) << r.error;
            for (const Mode mode : kModes) {
                EXPECT_GT(median_seconds(r, mode), 0) << mode_name(mode);
                EXPECT_NE(find_speedup(r, "csr-vector", mode), nullptr) << mode_name(mode);
            }
            EXPECT_GT(median_seconds(r, Mode::axpy), 0);
        }
    }
}

}  // namespace
}  // namespace tilespmv::bench
