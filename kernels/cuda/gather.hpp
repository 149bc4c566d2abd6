#pragma once

#include <span>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "tile/csr.hpp"

namespace tilespmv::cuda {

template <class T>
using RangesOf = std::vector<std::span<const T>>;

/// Ranges of an array in device memory, of 32 or 64 bits, copied to the host one behind the other. Waits for the
/// stream.
template <class T>
Buffer<T> gather(const RangesOf<T>& there, const DeviceContext& on);

/// Where `gathered` has each of these ranges.
template <class T>
RangesOf<T> ranges_in(const Buffer<T>& gathered, const RangesOf<T>& there) {
    RangesOf<T> ranges;
    std::size_t first = 0;
    for (const auto& range : there) {
        ranges.push_back(std::span<const T>(gathered.data(), gathered.size()).subspan(first, range.size()));
        first += range.size();
    }
    return ranges;
}

}  // namespace tilespmv::cuda
