#include "kernels/cuda/packed_arrays.hpp"

#include <cstring>

namespace tilespmv::cuda {

void PackedArrays::upload(const DeviceContext& on) {
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 18;  // bytes that are put together on the host first
    if (bytes_ == 0) return;
    memory_ = DeviceBuffer<std::byte>(bytes_, on);
    if (arrays_.empty()) return;
    if (copied_ <= kMostAtOnce) {
        std::vector<std::byte> together(copied_);
        for (const Array& array : arrays_) std::memcpy(together.data() + array.offset, array.data, array.bytes);
        // The driver has read memory that is not pinned when it returns ("API synchronization behavior" of CUDA).
        copy_to_device(memory_.data(), together.data(), copied_, on.stream);
    } else {
        TILESPMV_CUDA(cudaMemsetAsync(memory_.data(), 0, copied_, on.stream));  // what lies between arrays may be read
        for (const Array& array : arrays_)
            copy_to_device(memory_.data() + array.offset, array.data, array.bytes, on.stream);
    }
    arrays_.clear();
}

}  // namespace tilespmv::cuda
