#pragma once

#include <cstdint>
#include <limits>
#include <variant>

#include "formats/convert.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/load.cuh"

namespace tilespmv::cuda {

/// out[i] = the nonzero at positions[i] - 1, 0 where that is padding.
template <class V, class P>
__global__ void gather_values(const V* csr_values, const P* positions, V* out, std::int64_t size) {
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= size) return;
    const P position = positions[i];
    out[i] = position == 0 ? V(0) : load_often(csr_values + (position - 1));
}

/// `ValueMap` on the device: 4 bytes per stored value below 2^32 - 1 nonzeros, 8 from there on.
template <class V>
class DeviceValueMap {
public:
    /// Returns when the copies are complete.
    DeviceValueMap(const CsrMatrix<V>& pattern, const TileMatrix<V>& tiles, cudaStream_t stream) {
        const ValueMap map(pattern, tiles);
        if (tiles.nnz < std::numeric_limits<std::uint32_t>::max()) {
            positions_ = upload<std::uint32_t>(map, tiles, stream);
        } else {
            positions_ = upload<std::uint64_t>(map, tiles, stream);
        }
    }

    /// New values for the arrays of the tiles and of the deferred part; neither allocates nor synchronises.
    void update(const V* csr_values, DeviceBuffer<V>& tiled, DeviceBuffer<V>& deferred, cudaStream_t stream) const {
        std::visit(
            [&](const auto& positions) {
                gather(csr_values, positions.tiled, tiled, stream);
                gather(csr_values, positions.deferred, deferred, stream);
            },
            positions_);
    }

    [[nodiscard]] std::size_t bytes() const {
        return std::visit([](const auto& positions) { return positions.tiled.bytes() + positions.deferred.bytes(); },
                          positions_);
    }

private:
    template <class P>
    struct Positions {
        DeviceBuffer<P> tiled;
        DeviceBuffer<P> deferred;
    };

    template <class P>
    static Positions<P> upload(const ValueMap& map, const TileMatrix<V>& tiles, cudaStream_t stream) {
        const auto tiled = map.tiled_positions<P>(tiles);
        const auto deferred = map.deferred_positions<P>(tiles);
        Positions<P> positions{DeviceBuffer<P>(tiled, stream), DeviceBuffer<P>(deferred, stream)};
        TILESPMV_CUDA(cudaStreamSynchronize(stream));  // the host's copies go away
        return positions;
    }

    template <class P>
    static void gather(const V* csr_values, const DeviceBuffer<P>& positions, DeviceBuffer<V>& out,
                       cudaStream_t stream) {
        constexpr int threads = 256;
        const auto size = static_cast<std::int64_t>(out.size());
        if (size == 0) return;
        gather_values<<<static_cast<unsigned>(div_up(size, threads)), threads, 0, stream>>>(
            csr_values, positions.data(), out.data(), size);
        TILESPMV_CUDA(cudaGetLastError());
    }

    std::variant<Positions<std::uint32_t>, Positions<std::uint64_t>> positions_;
};

}  // namespace tilespmv::cuda
