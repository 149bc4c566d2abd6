// Products start before the kernel before them on the stream is complete: whatever that kernel is, they see what it
// left, and it sees nothing of theirs.
#include <gmock/gmock.h>

#include "kernels/check.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/every_operator.hpp"
#include "tests/kernels/cuda/slow_kernels.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

constexpr int kSize = 3001;

/// Square, some rows split, an empty one between them, of a pattern that strips share; norms below 1, so that chains
/// stay finite.
CsrMatrix<double> square_matrix() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < kSize; ++i) {
        for (const index_t j : {i - 1, i, i + 1}) {
            if (i != 71 && j >= 0 && j < kSize) positions.insert({i, j});
        }
    }
    for (index_t j = 0; j < kSize; j += 2) {
        positions.insert({70, j});
        positions.insert({72, j});
    }
    auto a = matrix_of(kSize, kSize, positions);
    for (double& value : a.values) value /= 4096;
    return a;
}

std::vector<double> ramp(double first) {
    std::vector<double> values(kSize);
    for (int i = 0; i < kSize; ++i) values[static_cast<std::size_t>(i)] = first + i % 17;
    return values;
}

class DependentLaunch : public OnDevice {
protected:
    static cuda::DeviceBuffer<double> on_gpu(const std::vector<double>& host) {
        cuda::DeviceBuffer<double> buffer(std::span<const double>(host), nullptr);
        TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
        return buffer;
    }
    static std::vector<double> on_host(const cuda::DeviceBuffer<double>& buffer, cudaStream_t stream) {
        std::vector<double> values(buffer.size());
        buffer.download(values, stream);
        TILESPMV_CUDA(cudaStreamSynchronize(stream));
        return values;
    }

    const CsrMatrix<double> csr = square_matrix();
    const std::vector<double> old_x = ramp(1);
    const std::vector<double> new_x = ramp(100);
};

using Copy = void (*)(const double*, double*, int, cudaStream_t);

TEST_F(DependentLaunch, ReadsXThatTheKernelBeforeWrites) {
    const cuda::Stream stream;
    const auto source = on_gpu(new_x);
    const auto expected = expected_product<double>(csr, 1, new_x, 0, {});
    for (const auto& a : every_operator<double>(csr, Accumulator::float64)) {
        for (const Copy copy : {copy_slowly, copy_slowly_letting_others_start}) {
            const auto x = on_gpu(old_x);
            auto y = on_gpu(std::vector<double>(kSize, kNaN));
            copy(source.data(), x.data(), kSize, stream.get());
            a.made->apply(1.0, x.span(), 0.0, y.span(), stream.get());
            const auto result = check_product<double>(expected, on_host(y, stream.get()));
            EXPECT_TRUE(result.ok) << a.name << ' ' << result.message();
        }
    }
}

TEST_F(DependentLaunch, WritesYAfterTheKernelBeforeHasReadAndWrittenIt) {
    const cuda::Stream stream;
    const auto x = on_gpu(new_x);
    const auto source = on_gpu(ramp(7));
    const auto expected = expected_product<double>(csr, 1, new_x, 2, ramp(7));
    for (const auto& a : every_operator<double>(csr, Accumulator::float64)) {
        for (const Copy copy : {copy_slowly, copy_slowly_letting_others_start}) {
            auto y = on_gpu(std::vector<double>(kSize, kNaN));
            const auto seen = on_gpu(old_x);
            copy(source.data(), y.data(), kSize, stream.get());
            a.made->apply(1.0, x.span(), 2.0, y.span(), stream.get());
            copy(y.data(), seen.data(), kSize, stream.get());
            a.made->apply(1.0, x.span(), 0.0, y.span(), stream.get());
            const auto result = check_product<double>(expected, on_host(seen, stream.get()));
            EXPECT_TRUE(result.ok) << a.name << ' ' << result.message();
        }
    }
}

/// 20 products in which x and y change places, `between` on the stream after each.
template <class Between>
void chain(const cuda::DeviceOperator<double>& a, cuda::DeviceBuffer<double>& x, cuda::DeviceBuffer<double>& y,
           cudaStream_t stream, Between between) {
    for (int i = 0; i < 10; ++i) {
        a.apply(1.0, x.span(), 1.0, y.span(), stream);
        between();
        a.apply(0.5, y.span(), -0.25, x.span(), stream);
        between();
    }
}

TEST_F(DependentLaunch, ChainsGiveTheBitsOfProductsOneByOne) {
    const cuda::Stream stream;
    for (const auto& a : every_operator<double>(csr, Accumulator::float64)) {
        if (!a.made->is_reproducible()) continue;
        auto x = on_gpu(new_x);
        auto y = on_gpu(old_x);
        chain(*a.made, x, y, stream.get(), [&] { stream.synchronize(); });
        const auto expected = on_host(x, stream.get());
        for (int repeat = 0; repeat < 5; ++repeat) {
            x = on_gpu(new_x);
            y = on_gpu(old_x);
            chain(*a.made, x, y, stream.get(), [] {});
            ASSERT_EQ(on_host(x, stream.get()), expected) << a.name;
        }
        x = on_gpu(new_x);
        y = on_gpu(old_x);
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        TILESPMV_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
        chain(*a.made, x, y, stream.get(), [] {});
        TILESPMV_CUDA(cudaStreamEndCapture(stream.get(), &graph));
        TILESPMV_CUDA(cudaGraphInstantiate(&executable, graph, 0));
        TILESPMV_CUDA(cudaGraphLaunch(executable, stream.get()));
        EXPECT_EQ(on_host(x, stream.get()), expected) << a.name << " in a graph";
        TILESPMV_CUDA(cudaGraphExecDestroy(executable));
        TILESPMV_CUDA(cudaGraphDestroy(graph));
    }
}

TEST_F(DependentLaunch, OperatorsOnOneStreamFollowEachOther) {
    const cuda::Stream stream;
    const auto all = every_operator<double>(csr, Accumulator::float64);
    const auto first = expected_product<double>(csr, 1, new_x, 0, {});
    auto x = on_gpu(new_x);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        auto y = on_gpu(std::vector<double>(kSize, kNaN));
        auto z = on_gpu(std::vector<double>(kSize, kNaN));
        all[i].made->apply(1.0, x.span(), 0.0, y.span(), stream.get());
        all[i + 1].made->apply(1.0, y.span(), 0.0, z.span(), stream.get());
        const auto between = on_host(y, stream.get());
        const auto result =
            check_product<double>(expected_product<double>(csr, 1, between, 0, {}), on_host(z, stream.get()));
        EXPECT_TRUE(check_product<double>(first, between).ok) << all[i].name;
        EXPECT_TRUE(result.ok) << all[i].name << ", " << all[i + 1].name << ' ' << result.message();
    }
}

TEST_F(DependentLaunch, SeesNewValuesWhateverStandsBetween) {
    const cuda::Stream stream;
    const auto x = on_gpu(new_x);
    auto other = csr.clone();
    for (double& value : other.values) value *= -3;
    const cuda::DeviceBuffer<double> source(other.values, nullptr);
    const cuda::DeviceBuffer<double> values(csr.values, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    const auto expected = expected_product<double>(other, 1, new_x, 0, {});
    const auto between = cuda::make_device_operator<double>("csr-merge", {&csr}, Accumulator::float64, nullptr);
    for (const std::string name :
         {"csr16", "csr-vector", "csr-merge", "csr-adaptive", "csr5", "sell", "sell:hubs=100", "csr-inode",
          "ell:updatable=1", "coo", "hyb:updatable=1", "strip:updatable=1", "strip:updatable=1,bytes=1000"}) {
        for (const bool has_between : {false, true}) {
            const auto a = cuda::make_device_operator<double>(name, {&csr}, Accumulator::float64, nullptr);
            auto y = on_gpu(std::vector<double>(kSize, kNaN));
            auto z = on_gpu(std::vector<double>(kSize, kNaN));
            a->apply(1.0, x.span(), 0.0, y.span(), stream.get());
            a->update_values(source.data(), stream.get());
            if (has_between) between->apply(1.0, x.span(), 0.0, z.span(), stream.get());
            a->apply(1.0, x.span(), 0.0, y.span(), stream.get());
            const auto result = check_product<double>(expected, on_host(y, stream.get()));
            EXPECT_TRUE(result.ok) << name << ' ' << result.message();
        }
    }
}

TEST_F(DependentLaunch, SeesValuesThatTheirOwnerWrites) {
    const cuda::Stream stream;
    const auto x = on_gpu(new_x);
    auto other = csr.clone();
    for (double& value : other.values) value *= -3;
    const cuda::DeviceBuffer<std::int64_t> row_ptrs(csr.row_ptrs, nullptr);
    const cuda::DeviceBuffer<index_t> cols(csr.col_idxs, nullptr);
    const cuda::DeviceBuffer<double> source(other.values, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    const auto expected = expected_product<double>(other, 1, new_x, 0, {});
    for (const auto& info : operators<double>(Backend::cuda)) {
        if (!info.reads_csr_in_place) continue;
        for (const Copy copy : {copy_slowly, copy_slowly_letting_others_start}) {
            const cuda::DeviceBuffer<double> values(csr.values, nullptr);
            const cuda::DeviceCsrView<double> view{kSize,           kSize,       csr.nnz(),
                                                   row_ptrs.data(), cols.data(), values.data()};
            const auto a = cuda::make_device_operator<double>(info.name, {&view}, Accumulator::float64, nullptr);
            auto y = on_gpu(std::vector<double>(kSize, kNaN));
            copy(source.data(), values.data(), static_cast<int>(csr.nnz()), stream.get());
            a->apply(1.0, x.span(), 0.0, y.span(), stream.get());
            const auto result = check_product<double>(expected, on_host(y, stream.get()));
            EXPECT_TRUE(result.ok) << info.name << ' ' << result.message();
        }
    }
}

TEST_F(DependentLaunch, ServesStreamsThatWaitForEachOther) {
    const cuda::Stream first;
    const cuda::Stream second;
    cudaEvent_t done = nullptr;
    TILESPMV_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    const auto source = on_gpu(new_x);
    const auto expected = expected_product<double>(csr, 1, new_x, 0, {});
    for (const auto& a : every_operator<double>(csr, Accumulator::float64)) {
        const auto x = on_gpu(old_x);
        auto y = on_gpu(std::vector<double>(kSize, kNaN));
        auto z = on_gpu(std::vector<double>(kSize, kNaN));
        a.made->apply(1.0, source.span(), 0.0, z.span(), second.get());
        copy_slowly(source.data(), x.data(), kSize, first.get());
        TILESPMV_CUDA(cudaEventRecord(done, first.get()));
        TILESPMV_CUDA(cudaStreamWaitEvent(second.get(), done));
        a.made->apply(1.0, x.span(), 0.0, y.span(), second.get());
        const auto result = check_product<double>(expected, on_host(y, second.get()));
        EXPECT_TRUE(result.ok) << a.name << ' ' << result.message();
    }
    TILESPMV_CUDA(cudaEventDestroy(done));
}

}  // namespace
}  // namespace tilespmv::testing
