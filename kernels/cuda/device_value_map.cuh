#pragma once

#include <cstdint>
#include <limits>
#include <numeric>
#include <variant>

#include "formats/convert.hpp"
#include "kernels/cuda/batch.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tile_subset.hpp"

namespace tilespmv::cuda {

/// out[i] = the nonzero at positions[i] - 1, 0 where that is padding.
template <class V, class P>
__global__ void gather_values(const V* csr_values, const P* positions, V* out, std::int64_t size) {
    const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= size) return;
    const P position = positions[i];
    out[i] = position == 0 ? V(0) : load_often(csr_values + (position - 1));
}

/// Where the stored values of a device's form come from, for new ones: 4 bytes per stored value below 2^32 - 1
/// nonzeros, 8 from there on, and nothing if all of the matrix is a batch, which keeps the order of CSR.
template <class V>
class DeviceValueMap {
public:
    /// `batch`, `dense` and `tiles` make up `whole`, which was converted from `pattern`. Returns when the copies are
    /// complete.
    DeviceValueMap(const CsrMatrix<V>& pattern, const TileMatrix<V>& whole, const Batch& batch,
                   const TileSubset<V>& dense, const TileSubset<V>& tiles, cudaStream_t stream) {
        if (batch.nonzeros == whole.nnz) return;
        if (whole.nnz < std::numeric_limits<std::uint32_t>::max()) {
            positions_ = upload<std::uint32_t>(ValueMap(pattern, whole), whole, batch, dense, tiles, stream);
        } else {
            positions_ = upload<std::uint64_t>(ValueMap(pattern, whole), whole, batch, dense, tiles, stream);
        }
    }

    /// New values for the arrays of the batch, of the dense tile rows, of the tiles and of what these defer; neither
    /// allocates nor synchronises.
    void update(const V* csr_values, DeviceBuffer<V>& batched, DeviceBuffer<V>& dense, DeviceBuffer<V>& tiled,
                DeviceBuffer<V>& deferred, cudaStream_t stream) const {
        if (std::holds_alternative<std::monostate>(positions_)) {
            TILESPMV_CUDA(
                cudaMemcpyAsync(batched.data(), csr_values, batched.bytes(), cudaMemcpyDeviceToDevice, stream));
        }
        visit([&](const auto& positions) {
            gather(csr_values, positions.batched, batched, stream);
            gather(csr_values, positions.dense, dense, stream);
            gather(csr_values, positions.tiled, tiled, stream);
            gather(csr_values, positions.deferred, deferred, stream);
        });
    }

    [[nodiscard]] std::size_t bytes() const {
        std::size_t sum = 0;
        visit([&](const auto& p) { sum = p.batched.bytes() + p.dense.bytes() + p.tiled.bytes() + p.deferred.bytes(); });
        return sum;
    }

private:
    template <class P>
    struct Positions {
        DeviceBuffer<P> batched;
        DeviceBuffer<P> dense;
        DeviceBuffer<P> tiled;
        DeviceBuffer<P> deferred;
    };

    template <class F>
    void visit(F&& f) const {
        if (const auto* narrow = std::get_if<Positions<std::uint32_t>>(&positions_)) f(*narrow);
        if (const auto* wide = std::get_if<Positions<std::uint64_t>>(&positions_)) f(*wide);
    }

    template <class P>
    static Positions<P> upload(const ValueMap& map, const TileMatrix<V>& whole, const Batch& batch,
                               const TileSubset<V>& dense, const TileSubset<V>& tiles, cudaStream_t stream) {
        Buffer<P> in_order(static_cast<std::size_t>(whole.nnz));
        std::iota(in_order.begin(), in_order.end(), P{1});
        const auto in_arena = map.tiled_positions<P>(whole);
        const auto batched = in_batch(batch, in_order);
        const auto of_dense = take(in_arena, dense.values);
        const auto tiled = take(in_arena, tiles.values);
        const auto deferred = take(map.deferred_positions<P>(whole), tiles.deferred);
        Positions<P> positions{DeviceBuffer<P>(batched, stream), DeviceBuffer<P>(of_dense, stream),
                               DeviceBuffer<P>(tiled, stream), DeviceBuffer<P>(deferred, stream)};
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

    std::variant<std::monostate, Positions<std::uint32_t>, Positions<std::uint64_t>> positions_;
};

}  // namespace tilespmv::cuda
