#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/operators/coo/coo_kernel.cuh"

namespace tilespmv::cuda {

/// A `Coo` in device memory. Begins its copies on a stream; the host's copies, `back` those of its `blocks_back`, must
/// stay until the stream has passed.
template <class V, class A>
class CooBuffers {
public:
    CooBuffers(const Coo<V>& a, const Buffer<std::uint32_t>& back, WorkspaceLayout& layout, const DeviceContext& on)
        : row_idxs_(a.row_idxs, on),
          col_idxs_(a.col_idxs, on),
          values_(a.values, on),
          blocks_back_(back, on),
          partials_(add_awaited_sums<A>(layout, blocks())) {}

    [[nodiscard]] std::int64_t blocks() const { return static_cast<std::int64_t>(blocks_back_.size()); }
    [[nodiscard]] CooView<V, A> view(std::byte* workspace) const {
        return {row_idxs_.data(),    col_idxs_.data(),       values_.data(), static_cast<offset_t>(values_.size()),
                blocks_back_.data(), partials_.in(workspace)};
    }
    [[nodiscard]] std::size_t matrix_bytes() const {
        return row_idxs_.bytes() + col_idxs_.bytes() + values_.bytes() + blocks_back_.bytes();
    }
    [[nodiscard]] const index_t* row_idxs() const { return row_idxs_.data(); }
    [[nodiscard]] DeviceBuffer<V>& values() { return values_; }

private:
    DeviceBuffer<index_t> row_idxs_;
    DeviceBuffer<index_t> col_idxs_;
    DeviceBuffer<V> values_;
    DeviceBuffer<std::uint32_t> blocks_back_;
    WorkspacePart<BitsOf<A>> partials_;
};

}  // namespace tilespmv::cuda
