#pragma once

#include <utility>

#include "kernels/cuda/split_buffers.cuh"
#include "kernels/operators/csr16/csr16_kernel.cuh"
#include "kernels/operators/csr16/device_csr16.hpp"

namespace tilespmv::cuda {

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
    /// Of all rows, so that values are in the order of CSR.
    void write_csr(index_t rows, const CsrToWrite<V>& to, cudaStream_t stream) const {
        expand_csr16({blocks_.data(), static_cast<std::int64_t>(blocks_.size()), ends_.data(), codes_.data(), rows,
                      to.row_ptrs, to.col_idxs},
                     stream);
        TILESPMV_CUDA(cudaMemcpyAsync(to.values, values_.data(), values_.bytes(), cudaMemcpyDeviceToDevice, stream));
    }
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
