#pragma once

#include <algorithm>
#include <cstddef>

#include <cub/device/device_radix_sort.cuh>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::cuda {

/// Calls f(workspace, bytes) of a CUB algorithm twice: for the bytes of its workspace, and with one of that size.
template <class F>
void with_cub_workspace(F&& f, const DeviceContext& on) {
    std::size_t bytes = 0;
    TILESPMV_CUDA(f(nullptr, bytes));
    const DeviceBuffer<std::byte> workspace(std::max<std::size_t>(bytes, 1), on);
    TILESPMV_CUDA(f(static_cast<void*>(workspace.data()), bytes));
}

/// Sorts by the lowest `bits` of the keys; pairs of equal keys stay in their order.
template <class K, class P, class Count>
void sort_pairs(cub::DoubleBuffer<K>& keys, cub::DoubleBuffer<P>& values, Count count, int bits,
                const DeviceContext& on) {
    with_cub_workspace(
        [&](void* workspace, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(workspace, bytes, keys, values, count, 0, bits, on.stream);
        },
        on);
}

}  // namespace tilespmv::cuda
