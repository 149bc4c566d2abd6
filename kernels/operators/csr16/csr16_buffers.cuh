#pragma once

#include <utility>

#include "kernels/cuda/split_buffers.cuh"
#include "kernels/operators/csr16/csr16_kernel.cuh"

namespace tilespmv::cuda {

/// What a `Csr16` has, in device memory.
struct Csr16Arrays {
    Csr16Arrays() = default;
    /// Begins copies; the host's arrays must stay until the stream has passed.
    Csr16Arrays(const Csr16& b, const DeviceContext& on)
        : blocks(upload(b.blocks, on)),
          ends(b.ends, on),
          codes(b.codes, on),
          splits(upload(b.splits, on)),
          partials(b.partials),
          in_long_rows(b.in_long_rows) {}

    DeviceBuffer<Csr16Block> blocks;
    DeviceBuffer<std::uint16_t> ends;
    DeviceBuffer<std::uint16_t> codes;
    DeviceBuffer<SplitRow> splits;
    std::uint32_t partials = 0;
    offset_t in_long_rows = 0;
};

/// A `Csr16` in device memory, with its values. Begins its copies on a stream; the host's copy must stay until the
/// stream has passed.
template <class V, class A>
class Csr16Buffers {
public:
    /// `values` in the order of `b`.
    Csr16Buffers(const Csr16& b, DeviceBuffer<V> values, WorkspaceLayout& layout, const DeviceContext& on)
        : Csr16Buffers(Csr16Arrays(b, on), std::move(values), layout) {}
    Csr16Buffers(Csr16Arrays a, DeviceBuffer<V> values, WorkspaceLayout& layout)
        : blocks_(std::move(a.blocks)),
          ends_(std::move(a.ends)),
          codes_(std::move(a.codes)),
          values_(std::move(values)),
          splits_(std::move(a.splits), a.partials, layout) {}

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
