#include <cstdint>

#include <gtest/gtest.h>

#include "kernels/cuda/device_buffer.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"

namespace tilespmv {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::uint64_t reserved_bytes() {
    std::uint64_t bytes = 0;
    TILESPMV_CUDA(cudaMemPoolGetAttribute(cuda::pool_of(0), cudaMemPoolAttrReservedMemCurrent, &bytes));
    return bytes;
}

void take_and_give_back(std::size_t bytes) {
    const auto memory = cuda::stream_ordered_memory();
    memory->deallocate(memory->allocate(bytes, nullptr), bytes, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
}

using StreamOrderedMemory = testing::OnDevice;

TEST_F(StreamOrderedMemory, IsKeptForTheNextWhenNobodyHoldsIt) {
    if (cuda::pool_of(0) == nullptr) GTEST_SKIP() << "a GPU without pools";
    take_and_give_back(kMiB);
    EXPECT_GE(reserved_bytes(), kMiB);
}

TEST_F(StreamOrderedMemory, IsGivenBackBeyondWhatIsKept) {
    if (cuda::pool_of(0) == nullptr) GTEST_SKIP() << "a GPU without pools";
    take_and_give_back(512 * kMiB);
    EXPECT_LE(reserved_bytes(), 128 * kMiB);
}

TEST_F(StreamOrderedMemory, ComesFromOnePoolForEachGpu) { EXPECT_EQ(cuda::pool_of(0), cuda::pool_of(0)); }

}  // namespace
}  // namespace tilespmv
