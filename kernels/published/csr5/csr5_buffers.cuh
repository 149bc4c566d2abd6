#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/published/csr5/csr5_kernel.cuh"

namespace tilespmv::cuda {

/// A CSR matrix in the form `Csr5`, in device memory.
template <class V, class A>
class Csr5Buffers {
public:
    /// Returns when the copies are complete. `sigma`: 4, 8 or 16.
    Csr5Buffers(const CsrMatrix<V>& a, int sigma, WorkspaceLayout& layout, const DeviceContext& on)
        : Csr5Buffers(a, make_csr5(a.row_ptrs, a.col_idxs, sigma), layout, on) {}

    /// `p` has the terms of the product, or `sums` for those of rows with nonzeros.
    void multiply(Csr5Spmv<V, A> p, std::byte* workspace, cudaStream_t stream) const {
        p.tiles = tiles_.data();
        p.tile_count = static_cast<std::int64_t>(tiles_.size());
        p.lanes = lanes_.data();
        p.matrix_cols = col_idxs_.data();
        p.values = values_.data();
        p.ended_rows = ended_rows_.data();
        p.empty_rows = empty_rows_.data();
        p.empty_count = p.sums == nullptr ? static_cast<std::int64_t>(empty_rows_.size()) : 0;
        p.partials = partials_.in(workspace);
        const std::int64_t blocks = div_up(p.tile_count, kCsr5Tiles) + div_up(p.empty_count, kCsr5Threads);
        with_constant<4, 8, 16>(
            sigma_, [&]<int kSigma>() { launch_dependent(csr5_spmv<V, A, kSigma>, blocks, kCsr5Threads, p, stream); });
    }

    /// `csr_values`: nnz values in device memory, in the order of CSR.
    void update_values(const V* csr_values, cudaStream_t stream) {
        constexpr int threads = kElementwiseThreads;
        const auto places = static_cast<std::int64_t>(values_.size());
        const Csr5Values<V> p{csr_values, nnz_, sigma_, values_.data(), places};
        launch(place_csr5_values<V>, div_up(places, threads), threads, p, stream);
    }

    [[nodiscard]] std::size_t matrix_bytes() const {
        return tiles_.bytes() + lanes_.bytes() + col_idxs_.bytes() + values_.bytes() + ended_rows_.bytes() +
               empty_rows_.bytes();
    }

private:
    Csr5Buffers(const CsrMatrix<V>& a, const Csr5& form, WorkspaceLayout& layout, const DeviceContext& on)
        : Csr5Buffers(a, form, in_csr5<V>(form, a.values), layout, on) {}
    Csr5Buffers(const CsrMatrix<V>& a, const Csr5& form, const Buffer<V>& values, WorkspaceLayout& layout,
                const DeviceContext& on)
        : nnz_(a.nnz()),
          sigma_(form.sigma),
          tiles_(form.tiles, on),
          lanes_(form.lanes, on),
          col_idxs_(form.cols, on),
          values_(values, on),
          ended_rows_(form.ended_rows, on),
          empty_rows_(form.empty_rows, on),
          partials_(add_awaited_sums<A>(layout, div_up(static_cast<std::int64_t>(form.tiles.size()), kCsr5Tiles))) {
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    offset_t nnz_;
    int sigma_;
    DeviceBuffer<Csr5Tile> tiles_;
    DeviceBuffer<Csr5Lane> lanes_;
    DeviceBuffer<index_t> col_idxs_;
    DeviceBuffer<V> values_;
    DeviceBuffer<std::uint32_t> ended_rows_;
    DeviceBuffer<std::uint32_t> empty_rows_;
    WorkspacePart<BitsOf<A>> partials_;
};

}  // namespace tilespmv::cuda
