#include "kernels/cuda/packed_arrays.hpp"

#include <cstring>

namespace tilespmv::cuda {

void PackedArrays::upload(const DeviceContext& on) {
    constexpr std::size_t kMostAtOnce = std::size_t{1} << 18;  // bytes that are put together on the host first
    if (bytes_ == 0) return;
    if (bytes_ <= kMostAtOnce) {
        std::vector<std::byte> together(bytes_);
        for (const HostArray& array : arrays_) std::memcpy(together.data() + array.offset, array.data, array.bytes);
        memory_ = DeviceBuffer<std::byte>(bytes_, on);
        // The driver has read memory that is not pinned when it returns ("API synchronization behavior" of CUDA).
        memory_.upload(together, on.stream);
    } else {
        memory_ = DeviceBuffer<std::byte>(bytes_, on);
        TILESPMV_CUDA(cudaMemsetAsync(memory_.data(), 0, bytes_, on.stream));  // what lies between arrays may be read
        for (const HostArray& array : arrays_)
            copy_to_device(memory_.data() + array.offset, array.data, array.bytes, on.stream);
    }
    arrays_.clear();
}

}  // namespace tilespmv::cuda
