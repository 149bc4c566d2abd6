#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda/std/bit>

#include "kernels/cuda/load.cuh"
#include "kernels/operators/strip/find_strips.hpp"
#include "kernels/operators/strip/strip.hpp"

namespace tilespmv::cuda {

/// `Strips`, or strips filled by rank, in device memory.
template <class V>
struct DeviceStrips {
    const StripRun* runs = nullptr;
    std::int64_t run_count = 0;
    const std::uint32_t* tile_rows = nullptr;
    const std::int32_t* bases = nullptr;
    const std::uint16_t* codes = nullptr;
    const std::uint8_t* masks = nullptr;  ///< of `Strips`
    const V* values = nullptr;
};

struct alignas(16) QuadBases {
    std::int32_t of[kQuad];
};
struct alignas(8) QuadCodes {
    std::uint16_t of[kQuad];
};

/// The columns of a quad of `Strips`, or of its first slots, for a lane, relative to the first row of the strip.
class WindowColumns {
public:
    static constexpr bool kOfStrips = true;

    template <class V>
    __device__ void load(const DeviceStrips<V>& s, std::uint32_t quad, int row, std::uint64_t) {
        bases_ = ::cuda::std::bit_cast<QuadBases>(__ldg(reinterpret_cast<const int4*>(s.bases) + quad));
        codes_ = s.codes[std::size_t{quad} * kTileSize + static_cast<std::size_t>(row)];
    }
    [[nodiscard]] __device__ int get(int slot) const {
        return bases_.of[slot] + static_cast<int>(codes_ >> (4 * slot) & 15U);
    }
    /// A bit a slot that has a nonzero.
    template <class V>
    [[nodiscard]] __device__ std::uint32_t mask(const DeviceStrips<V>& s, std::uint32_t quad, int row) const {
        return s.masks[std::size_t{quad} * kRowPairs + static_cast<std::size_t>(row / 2)] >> (row % 2 * 4);
    }

private:
    QuadBases bases_;
    std::uint32_t codes_;
};

/// The same of strips filled by rank, relative to the base of the strip; of a hole column 0.
class RankColumns {
public:
    static constexpr bool kOfStrips = false;

    template <class V>
    __device__ void load(const DeviceStrips<V>& s, std::uint32_t quad, int row, std::uint64_t policy) {
        codes_ = load_once(
            reinterpret_cast<const QuadCodes*>(s.codes) + std::size_t{quad} * kTileSize + static_cast<std::size_t>(row),
            policy);
    }
    [[nodiscard]] __device__ int get(int slot) const {
        return codes_.of[slot] == kRankHole ? 0 : static_cast<int>(codes_.of[slot]);
    }
    template <class V>
    [[nodiscard]] __device__ std::uint32_t mask(const DeviceStrips<V>&, std::uint32_t, int) const {
        std::uint32_t mask = 0;
#pragma unroll
        for (int k = 0; k < kQuad; ++k) mask |= codes_.of[k] == kRankHole ? 0U : 1U << k;
        return mask;
    }

private:
    QuadCodes codes_;
};

}  // namespace tilespmv::cuda
