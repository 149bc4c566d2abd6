#pragma once

#include <cstdint>

#include <cuda/std/bit>

/// Values that a thread loads and stores at once, and the parts of a vector that blocks take in turn.
namespace tilespmv::solver {

/// Values in 16 bytes: what a thread takes at once where vectors lie at multiples of 16 bytes.
template <class T>
inline constexpr int kPackSize = 16 / static_cast<int>(sizeof(T));

/// `kCount` consecutive values, in registers.
template <class T, int kCount>
struct Pack {
    T of[kCount];

    /// Not by the read-only path: the kernel before may still have been writing them when this one started.
    static __device__ Pack load(const T* from) {
        Pack pack;
        if constexpr (kCount * sizeof(T) == sizeof(uint4)) {
            pack = ::cuda::std::bit_cast<Pack>(*reinterpret_cast<const uint4*>(from));
        } else {
#pragma unroll
            for (int j = 0; j < kCount; ++j) pack.of[j] = from[j];
        }
        return pack;
    }
    __device__ void store(T* to) const {
        if constexpr (kCount * sizeof(T) == sizeof(uint4)) {
            *reinterpret_cast<uint4*>(to) = ::cuda::std::bit_cast<uint4>(*this);
        } else {
#pragma unroll
            for (int j = 0; j < kCount; ++j) to[j] = of[j];
        }
    }
};

/// Calls `f.at<count>(i, rest...)` for this thread's share of n values, always in the same order: `kCount` values from
/// i on. Threads of a block take neighbouring packs, `elements` values each (a multiple of kCount) in a part; block b
/// takes parts b, b + blocks, ... What has `ended` is left after its first values, which are asked for before that is
/// known. What does not fill a pack at the end of the vector is for the last thread of all, value by value: few lanes
/// of its warp have anything else to do, and lanes that take single values would have the others of their warp wait.
template <int kCount, class F, class... Rest>
__device__ void over_vector(std::int64_t n, int elements, F& f, Rest&... rest) {
    const std::int64_t turn = std::int64_t{blockDim.x} * kCount;
    const std::int64_t part = std::int64_t{blockDim.x} * elements;
    for (std::int64_t first = blockIdx.x * part; first < n; first += gridDim.x * part) {
        for (std::int64_t i = first + threadIdx.x * kCount; i < min(first + part, n); i += turn) {
            if (i + kCount <= n) f.template at<kCount>(i, rest...);
            if (f.ended()) return;
        }
    }
    if (blockIdx.x + 1 < gridDim.x || threadIdx.x + 1 < blockDim.x) return;
#pragma unroll 1
    for (std::int64_t k = n / kCount * kCount; k < n; ++k) f.template at<1>(k, rest...);
}

}  // namespace tilespmv::solver
