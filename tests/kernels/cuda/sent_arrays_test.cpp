#include "kernels/cuda/source_arrays.hpp"

#include <omp.h>

#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cuda/stream.hpp"
#include "tests/kernels/cuda/counting_memory.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

using cuda::DeviceBuffer;
using cuda::SentArrays;
using std::as_bytes;

std::vector<int> ascending(std::size_t size) {
    std::vector<int> values(size);
    std::iota(values.begin(), values.end(), 1);
    return values;
}

class SentArraysTest : public testing::OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (!IsSkipped()) on_.stream = stream_.emplace().get();
    }
    [[nodiscard]] std::vector<int> on_host(const int* data, std::size_t size) const {
        std::vector<int> host(size);
        TILESPMV_CUDA(cudaMemcpyAsync(host.data(), data, size * sizeof(int), cudaMemcpyDeviceToHost, on_.stream));
        TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
        return host;
    }

    std::optional<cuda::Stream> stream_;
    std::shared_ptr<testing::CountingMemory> memory_ = std::make_shared<testing::CountingMemory>();
    cuda::DeviceContext on_{nullptr, memory_};
};

using Span = std::span<const int>;

TEST_F(SentArraysTest, AreTakenOnceWithZeroesBehindThem) {
    const auto first = ascending(1001);
    const auto second = ascending(2'000'003);
    for (const std::shared_ptr<cuda::DeviceMemory>& memory : {on_.memory, cuda::stream_ordered_memory()}) {
        for (const int threads : {1, 4}) {
            omp_set_num_threads(threads);
            SentArrays sent({as_bytes(Span(first)), {}, as_bytes(Span(second))}, {on_.stream, memory});
            EXPECT_EQ(sent.take(1), nullptr) << "it is empty";
            for (const std::size_t which : {2, 0}) {
                const auto& array = which == 0 ? first : second;
                auto* const taken = static_cast<int*>(sent.take(which));
                ASSERT_NE(taken, nullptr);
                auto with_slack = array;
                with_slack.resize(array.size() + cuda::kSlackBytes / sizeof(int));
                EXPECT_EQ(on_host(taken, with_slack.size()), with_slack);
                EXPECT_EQ(sent.take(which), nullptr);
                memory->deallocate(taken, array.size() * sizeof(int) + cuda::kSlackBytes, on_.stream);
            }
        }
    }
    omp_set_num_threads(omp_get_num_procs());
}

TEST_F(SentArraysTest, OfASourceAreTakenOnceByWhatIsMadeOfIt) {
    const auto csr = generate<double>("laplace2d:n=30");
    const Source<double> source(csr);
    const auto columns = [&](const DeviceBuffer<index_t>& there) { return on_host(there.data(), there.size()); };
    const std::vector<int> expected(csr.col_idxs.begin(), csr.col_idxs.end());
    {
        const cuda::SentSource<double> sent(source, on_);
        const auto before = memory_->held;
        const auto taken = cuda::columns_on_device(source, on_);
        EXPECT_EQ(memory_->held, before);
        EXPECT_EQ(columns(taken), expected);
        const auto copied = cuda::columns_on_device(source, on_);
        EXPECT_GT(memory_->held, before);
        EXPECT_EQ(columns(copied), expected);
        EXPECT_EQ(cuda::values_on_device(source, on_).size(), csr.values.size());
    }
    EXPECT_EQ(memory_->held, 0U);
    EXPECT_EQ(source.sent(), nullptr);
    EXPECT_EQ(columns(cuda::columns_on_device(source, on_)), expected) << "as if nothing had been sent";
}

TEST_F(SentArraysTest, GiveBackTheMemoryOfThoseThatNobodyTook) {
    const auto array = ascending(100'000);
    {
        const SentArrays sent({as_bytes(Span(array))}, on_);
        EXPECT_GT(memory_->held, 0U);
    }
    EXPECT_EQ(memory_->held, 0U);
}

/// Refuses all but the first so many.
class ScarceMemory final : public cuda::DeviceMemory {
public:
    explicit ScarceMemory(int allocations) : left_(allocations) {}
    void* allocate(std::size_t bytes, cudaStream_t stream) override {
        if (left_-- == 0) throw Error("no more");
        return counted.allocate(bytes, stream);
    }
    void deallocate(void* memory, std::size_t bytes, cudaStream_t stream) noexcept override {
        counted.deallocate(memory, bytes, stream);
    }

    testing::CountingMemory counted;

private:
    int left_;
};

TEST_F(SentArraysTest, GiveBackWhatTheyHaveWhereThereIsTooLittleMemory) {
    const auto array = ascending(100'000);
    for (const int allocations : {0, 1}) {
        const auto memory = std::make_shared<ScarceMemory>(allocations);
        EXPECT_THROW(SentArrays({as_bytes(Span(array)), as_bytes(Span(array))}, {on_.stream, memory}), Error);
        EXPECT_EQ(memory->counted.held, 0U);
    }
}

TEST_F(SentArraysTest, AreNoneOnTheStreamOfEachThread) {
    const auto array = ascending(100);
    SentArrays sent({as_bytes(Span(array))}, {cudaStreamPerThread, memory_});
    EXPECT_EQ(sent.take(0), nullptr);
    EXPECT_EQ(memory_->held, 0U);
}

}  // namespace
}  // namespace tilespmv
