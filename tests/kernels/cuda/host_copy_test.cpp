#include "kernels/cuda/device_buffer.hpp"

#include <cstdint>
#include <thread>

#include "kernels/cuda/stream.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"

namespace tilespmv::testing {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMiB = std::size_t{1} << 20;

Bytes noise(std::size_t size, std::uint32_t seed) {
    Bytes bytes(size);
    for (auto& byte : bytes) {
        seed = seed * 1664525 + 1013904223;
        byte = static_cast<std::uint8_t>(seed >> 24);
    }
    return bytes;
}

/// What is in device memory that held ones after `copy`, from and to an odd place.
Bytes copied(const Bytes& bytes, const cuda::Stream& stream) {
    cuda::DeviceBuffer<std::uint8_t> device(bytes.size(), stream.get());
    TILESPMV_CUDA(cudaMemsetAsync(device.data(), 0xff, device.bytes(), stream.get()));
    cuda::copy_to_device(device.data() + 1, bytes.data() + 1, bytes.size() - 2, stream.get());
    Bytes back(bytes.size());
    device.download(back, stream.get());
    stream.synchronize();
    return back;
}

Bytes with_ones_around(Bytes bytes) {
    bytes.front() = bytes.back() = 0xff;
    return bytes;
}

class HostCopies : public OnDevice {};

TEST_F(HostCopies, OfAnySizeArriveWhole) {
    const cuda::Stream stream;
    for (const std::size_t size : {std::size_t{3}, kMiB / 4, kMiB / 4 + 1, kMiB - 1, kMiB, kMiB + 2, kMiB + 3,
                                   2 * kMiB + 5, 32 * kMiB + 1, 32 * kMiB + 3, 75 * kMiB + 12'345}) {
        const Bytes bytes = noise(size, static_cast<std::uint32_t>(size));
        EXPECT_TRUE(copied(bytes, stream) == with_ones_around(bytes)) << size << " bytes";
    }
}

TEST_F(HostCopies, OneAfterTheOtherDoNotMix) {
    const cuda::Stream stream;
    const Bytes first = noise(11 * kMiB, 1);
    const Bytes second = noise(11 * kMiB, 2);
    cuda::DeviceBuffer<std::uint8_t> to_first(first.size(), stream.get());
    cuda::DeviceBuffer<std::uint8_t> to_second(second.size(), stream.get());
    for (int i = 0; i < 5; ++i) {
        to_first.upload(first, stream.get());
        to_second.upload(second, stream.get());
    }
    Bytes back_first(first.size());
    Bytes back_second(second.size());
    to_first.download(back_first, stream.get());
    to_second.download(back_second, stream.get());
    stream.synchronize();
    EXPECT_TRUE(back_first == first);
    EXPECT_TRUE(back_second == second);
}

TEST_F(HostCopies, WorkForSeveralThreadsAtOnce) {
    constexpr int kThreads = 4;
    std::vector<char> is_right(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([t, &is_right] {
            const cuda::Stream stream;
            const Bytes bytes = noise(9 * kMiB + static_cast<std::size_t>(t), static_cast<std::uint32_t>(t));
            is_right[static_cast<std::size_t>(t)] = copied(bytes, stream) == with_ones_around(bytes);
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(is_right, std::vector<char>(kThreads, 1));
}

TEST_F(HostCopies, TakePinnedMemoryAsItIs) {
    const cuda::Stream stream;
    Bytes bytes = noise(4 * kMiB, 7);
    TILESPMV_CUDA(cudaHostRegister(bytes.data(), bytes.size(), cudaHostRegisterDefault));
    const Bytes back = copied(bytes, stream);
    TILESPMV_CUDA(cudaHostUnregister(bytes.data()));
    EXPECT_TRUE(back == with_ones_around(bytes));
}

}  // namespace
}  // namespace tilespmv::testing
