#pragma once

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/operators/ell/ell_fill.cuh"
#include "kernels/operators/ell/ell_kernel.cuh"

namespace tilespmv::cuda {

/// The first nonzeros of each row of a CSR matrix as ELL in device memory, which take new values.
template <class V>
class EllBuffers {
public:
    /// Of `width` places a row. `a` must stay until the stream has passed this.
    EllBuffers(const Source<V>& a, offset_t width, const DeviceContext& on)
        : rows_(a.rows()),
          width_(width),
          columns_(static_cast<std::size_t>(a.rows()) * static_cast<std::size_t>(width), on),
          values_(columns_.size(), on),
          row_ptrs_(row_ptrs_on_device(a, on)) {
        const CsrToRead<V> csr(a, on);
        launch_fill_ell<index_t>({csr.columns(), row_ptrs_.data(), rows_, width_, Ell<V>::kNone, columns_.data()}, on);
        fill(csr.values(), on);
    }

    [[nodiscard]] EllView<V> view() const { return {columns_.data(), values_.data(), rows_, width_}; }
    [[nodiscard]] std::size_t matrix_bytes() const { return columns_.bytes() + values_.bytes(); }
    /// Beside the matrix.
    [[nodiscard]] std::size_t other_bytes() const { return row_ptrs_.bytes(); }
    /// New values, in the order of CSR; neither allocates nor synchronises.
    void fill(const V* csr_values, cudaStream_t stream) {
        launch_fill_ell<V>({csr_values, row_ptrs_.data(), rows_, width_, V(0), values_.data()}, stream);
    }

    /// All nonzeros as CSR, of places for the longest row.
    void write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const {
        const std::int64_t blocks = div_up(std::int64_t{rows_}, std::int64_t{kEllThreads});
        copy_there(to.row_ptrs, row_ptrs_.data(), row_ptrs_.size(), stream);
        launch(read_ell<index_t>, blocks, kEllThreads,
               EllToCsr<index_t>{columns_.data(), row_ptrs_.data(), rows_, to.col_idxs}, stream);
        launch(read_ell<V>, blocks, kEllThreads, EllToCsr<V>{values_.data(), row_ptrs_.data(), rows_, to.values},
               stream);
    }

private:
    index_t rows_;
    offset_t width_;
    DeviceBuffer<index_t> columns_;
    DeviceBuffer<V> values_;
    DeviceBuffer<offset_t> row_ptrs_;  ///< of CSR, for new values
};

}  // namespace tilespmv::cuda
