#pragma once

#include <utility>

#include "kernels/cuda/split_buffers.cuh"
#include "kernels/operators/csr16/csr16_kernel.cuh"

namespace tilespmv::cuda {

/// A `Csr16` in device memory. Begins its copies on a stream; the host's copy must stay until the stream has passed.
template <class V, class A>
class Csr16Buffers {
public:
    /// `values` in the order of `b`.
    Csr16Buffers(const Csr16& b, DeviceBuffer<V> values, WorkspaceLayout& layout, const DeviceContext& on)
        : Csr16Buffers(b, DeviceBuffer<std::uint16_t>(b.codes, on), std::move(values), layout, on) {}
    /// With codes that are on the GPU.
    Csr16Buffers(const Csr16& b, DeviceBuffer<std::uint16_t> codes, DeviceBuffer<V> values, WorkspaceLayout& layout,
                 const DeviceContext& on)
        : blocks_(upload(b.blocks, on)),
          ends_(b.ends, on),
          codes_(std::move(codes)),
          values_(std::move(values)),
          splits_(b.splits, b.partials, layout, on) {}

    [[nodiscard]] DeviceCsr16<V, A> view(std::byte* workspace) const {
        DeviceCsr16<V, A> v;
        v.blocks = blocks_.data();
        v.block_count = static_cast<std::int64_t>(blocks_.size());
        v.ends = ends_.data();
        v.codes = codes_.data();
        v.values = values_.data();
        splits_.put(v, workspace);
        return v;
    }
    [[nodiscard]] std::size_t matrix_bytes() const {
        return blocks_.bytes() + ends_.bytes() + codes_.bytes() + values_.bytes();
    }
    /// Beside the matrix and the workspace.
    [[nodiscard]] std::size_t other_bytes() const { return splits_.bytes(); }
    [[nodiscard]] DeviceBuffer<V>& values() { return values_; }
    /// New values, in the order of `b`; neither allocates nor synchronises.
    void update_values(const V* device_values, cudaStream_t stream) {
        TILESPMV_CUDA(
            cudaMemcpyAsync(values_.data(), device_values, values_.bytes(), cudaMemcpyDeviceToDevice, stream));
    }

private:
    DeviceBuffer<Csr16Block> blocks_;
    DeviceBuffer<std::uint16_t> ends_;
    DeviceBuffer<std::uint16_t> codes_;
    DeviceBuffer<V> values_;
    SplitBuffers<A> splits_;
};

}  // namespace tilespmv::cuda
