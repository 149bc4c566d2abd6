#include "kernels/cuda/packed_arrays.hpp"

#include <cstring>

namespace tilespmv::cuda {

void PackedArrays::upload(const DeviceContext& on) {
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 18;  // bytes that are put together on the host first
    if (bytes_ == 0) return;
    memory_ = DeviceBuffer<std::byte>(bytes_, on);
    if (copied_ <= kMostAtOnce) {
        std::vector<std::byte> together(copied_);
        bool has_some = false;
        for (const Array& array : arrays_) {
            if (!array.is_there) std::memcpy(together.data() + array.offset, array.data, array.bytes);
            has_some = has_some || !array.is_there;
        }
        // The driver has read memory that is not pinned when it returns ("API synchronization behavior" of CUDA).
        if (has_some) copy_to_device(memory_.data(), together.data(), copied_, on.stream);
        for (const Array& array : arrays_) {
            if (array.is_there) copy(array, on);
        }
    } else {
        TILESPMV_CUDA(cudaMemsetAsync(memory_.data(), 0, copied_, on.stream));  // what lies between arrays may be read
        for (const Array& array : arrays_) copy(array, on);
    }
    arrays_.clear();
}

void PackedArrays::copy(const Array& array, const DeviceContext& on) {
    std::byte* const to = memory_.data() + array.offset;
    if (!array.is_there) return copy_to_device(to, array.data, array.bytes, on.stream);
    TILESPMV_CUDA(cudaMemcpyAsync(to, array.data, array.bytes, cudaMemcpyDeviceToDevice, on.stream));
}

}  // namespace tilespmv::cuda
