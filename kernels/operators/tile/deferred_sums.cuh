#pragma once

#include "kernels/executed.hpp"
#include "kernels/operators/tile/tile_views.hpp"
#include "kernels/published/csr5/csr5_buffers.cuh"
#include "selector/csr_shapes.hpp"

namespace tilespmv::cuda {

/// The deferred nonzeros in CSR5, whose sums become part of those of the tiles.
template <class V, class A>
class DeferredSums {
public:
    DeferredSums(const TileMatrix<V>& m, bool updatable, WorkspaceLayout& layout, const DeviceContext& on)
        : DeferredSums(deferred_alone(m), updatable, layout, on) {}

    /// Of the rows, before the product of the tiles.
    const A* add_up(const Product<V>& product, cudaStream_t stream) const {
        Csr5Spmv<V, A> p;
        p.x = product.x;
        p.cache_policy = product.cache_policy;
        p.sums = sums_.in(product.workspace);
        matrix_.multiply(p, product.workspace, stream);
        return p.sums;
    }
    [[nodiscard]] std::size_t matrix_bytes() const { return matrix_.matrix_bytes(); }
    [[nodiscard]] std::size_t other_bytes() const { return new_values_.bytes(); }
    void add_executed(ExecutedParts& parts) const {
        parts.add({{"csr5", "deferred", tile_rows_, nnz_, matrix_bytes()}}, 0);
    }
    /// In the order of the deferred nonzeros; filled before `update_values`.
    [[nodiscard]] DeviceBuffer<V>& new_values() { return new_values_; }
    void update_values(cudaStream_t stream) { matrix_.update_values(new_values_.data(), stream); }

private:
    DeferredSums(const CsrMatrix<V>& csr, bool updatable, WorkspaceLayout& layout, const DeviceContext& on)
        : nnz_(csr.nnz()),
          tile_rows_(occupied_tile_rows(csr.row_ptrs, 0, csr.rows)),
          matrix_(csr, csr5_sigma(csr.rows, csr.nnz()), layout, on),
          sums_(layout.add<A>(static_cast<std::size_t>(csr.rows), 0)),  // those of empty rows stay 0
          new_values_(updatable ? static_cast<std::size_t>(nnz_) : 0, on) {}

    offset_t nnz_;
    offset_t tile_rows_;
    Csr5Buffers<V, A> matrix_;
    WorkspacePart<A> sums_;
    DeviceBuffer<V> new_values_;
};

}  // namespace tilespmv::cuda
