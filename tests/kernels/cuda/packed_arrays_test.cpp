#include "kernels/cuda/packed_arrays.hpp"

#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include <gmock/gmock.h>

#include "kernels/cuda/stream.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"

namespace tilespmv {
namespace {

using ::testing::ElementsAreArray;

template <class T>
std::vector<T> ascending(std::size_t size) {
    std::vector<T> values(size);
    std::iota(values.begin(), values.end(), T{1});
    return values;
}

template <class T>
std::vector<T> on_host(const cuda::PackedArrays& arrays, const cuda::PackedPart<T>& part) {
    std::vector<T> values(part.size);
    TILESPMV_CUDA(cudaMemcpy(values.data(), arrays.data(part), part.bytes(), cudaMemcpyDeviceToHost));
    return values;
}

/// Of few values, put together on the host, and of many.
class PackedArrays : public testing::OnDevice, public ::testing::WithParamInterface<std::size_t> {};

TEST_P(PackedArrays, AreWhatTheHostHad) {
    const auto bytes = ascending<std::uint8_t>(3);
    const auto numbers = ascending<double>(GetParam());
    const auto words = ascending<std::uint32_t>(77);
    const cuda::Stream stream;
    cuda::PackedArrays arrays;
    const auto first = arrays.add(bytes);
    const auto none = arrays.add(std::vector<double>());
    const auto second = arrays.add(numbers);
    const auto third = arrays.add(words);
    cuda::DeviceBuffer<std::uint32_t> there(std::span<const std::uint32_t>(words), stream.get());
    const auto* const where = there.data();
    const auto kept = arrays.add(std::move(there));
    const auto nothing = arrays.add(cuda::DeviceBuffer<std::uint32_t>());
    const auto room = arrays.add_room<double>(1000);
    const auto no_room = arrays.add_room<int>(0);
    arrays.upload(stream.get());
    stream.synchronize();
    EXPECT_EQ(arrays.data(none), nullptr);
    EXPECT_EQ(arrays.data(nothing), nullptr);
    EXPECT_EQ(arrays.room(no_room), nullptr);
    EXPECT_EQ(arrays.data(kept), where);
    EXPECT_THAT(on_host(arrays, kept), ElementsAreArray(words));
    const auto written = ascending<double>(1000);
    TILESPMV_CUDA(cudaMemcpy(arrays.room(room), written.data(), room.bytes(), cudaMemcpyHostToDevice));
    EXPECT_EQ(on_host(arrays, room), written);
    EXPECT_THAT(on_host(arrays, first), ElementsAreArray(bytes));
    EXPECT_EQ(on_host(arrays, second), numbers);
    EXPECT_THAT(on_host(arrays, third), ElementsAreArray(words));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(arrays.data(second)) % 256, 0U);
    EXPECT_EQ(second.bytes(), 8 * GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sizes, PackedArrays, ::testing::Values(1, 1000, 500'000),
                         [](const auto& one) { return "Of" + std::to_string(one.param); });

using PackedArraysOfNothing = testing::OnDevice;

TEST_F(PackedArraysOfNothing, NeedNoMemory) {
    cuda::PackedArrays arrays;
    const auto none = arrays.add(std::vector<double>());
    arrays.upload(nullptr);
    EXPECT_EQ(arrays.data(none), nullptr);
}

}  // namespace
}  // namespace tilespmv
