#pragma once

#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tuning.hpp"

namespace tilespmv::cuda {

/// out[i] = the nonzero at positions[i] - 1, 0 where that is padding.
template <class V, class P>
__global__ void gather_values(const V* csr_values, const P* positions, V* out, std::int64_t size) {
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= size) return;
    const P position = positions[i];
    out[i] = position == 0 ? V(0) : load_often(csr_values + (position - 1));
}

/// Calls f.operator()<P>() with the type of positions among so many nonzeros.
template <class F>
decltype(auto) with_positions(offset_t nnz, F&& f) {
    if (nnz < std::numeric_limits<std::uint32_t>::max()) return f.template operator()<std::uint32_t>();
    return f.template operator()<std::uint64_t>();
}

/// Where the values in arrays of a device come from, for new ones: 4 bytes per stored value below 2^32 - 1 nonzeros, 8
/// from there on.
template <class V>
class DeviceValueMap {
public:
    /// Of the positions of the values of each array: 1 + the place among the nonzeros in CSR order, 0 for padding.
    /// Returns when the copies are complete.
    template <class P>
    DeviceValueMap(const std::vector<Buffer<P>>& positions, const DeviceContext& on)
        : positions_(upload(positions, on)) {}

    /// New values for the arrays, in the order of their positions; neither allocates nor synchronises.
    void update(const V* csr_values, const std::vector<DeviceBuffer<V>*>& arrays, cudaStream_t stream) const {
        std::visit(
            [&](const auto& positions) {
                for (std::size_t i = 0; i < arrays.size(); ++i) gather(csr_values, positions[i], *arrays[i], stream);
            },
            positions_);
    }

    [[nodiscard]] std::size_t bytes() const {
        return std::visit(
            [](const auto& positions) {
                std::size_t sum = 0;
                for (const auto& array : positions) sum += array.bytes();
                return sum;
            },
            positions_);
    }

private:
    template <class P>
    static std::vector<DeviceBuffer<P>> upload(const std::vector<Buffer<P>>& host, const DeviceContext& on) {
        std::vector<DeviceBuffer<P>> positions;
        for (const auto& array : host) positions.emplace_back(array, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        return positions;
    }

    template <class P>
    static void gather(const V* csr_values, const DeviceBuffer<P>& positions, DeviceBuffer<V>& out,
                       cudaStream_t stream) {
        constexpr int threads = kElementwiseThreads;
        const auto size = static_cast<std::int64_t>(out.size());
        if (size == 0) return;
        gather_values<<<static_cast<unsigned>(div_up(size, threads)), threads, 0, stream>>>(
            csr_values, positions.data(), out.data(), size);
        TILESPMV_CUDA(cudaGetLastError());
    }

    std::variant<std::vector<DeviceBuffer<std::uint32_t>>, std::vector<DeviceBuffer<std::uint64_t>>> positions_;
};

}  // namespace tilespmv::cuda
