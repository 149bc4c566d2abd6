#pragma once

#include <cstdint>
#include <limits>

#include "kernels/cuda/device_buffer.hpp"
#include "tile/csr.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {

/// A CSR matrix as a kernel sees it. P: the type of row pointers.
template <class V, class P>
struct CsrView {
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    const V* values = nullptr;
};

/// Whether positions up to `count` fit a signed index of 32 bits.
constexpr bool fits_32_bits(offset_t count) { return count <= std::numeric_limits<std::int32_t>::max(); }

/// The row pointers in 32 bits; they must be below 2^32.
inline Buffer<std::uint32_t> narrowed(const Buffer<offset_t>& row_ptrs) {
    Buffer<std::uint32_t> narrow(row_ptrs.size());
    parallel_for(0, static_cast<std::int64_t>(narrow.size()), 1 << 16,
                 [&](std::int64_t i) { narrow[i] = static_cast<std::uint32_t>(row_ptrs[i]); });
    return narrow;
}

/// A CSR matrix in device memory, with row pointers of 32 bits below 2^31 nonzeros.
template <class V>
class DeviceCsr {
public:
    /// Returns when the copies are complete.
    DeviceCsr(const CsrMatrix<V>& host, cudaStream_t stream)
        : rows_(host.rows),
          cols_(host.cols),
          nnz_(host.nnz()),
          col_idxs_(host.col_idxs, stream),
          values_(host.values, stream) {
        if (is_narrow()) {
            const auto ptrs = narrowed(host.row_ptrs);
            narrow_ptrs_ = DeviceBuffer<std::uint32_t>(ptrs, stream);
            TILESPMV_CUDA(cudaStreamSynchronize(stream));
        } else {
            wide_ptrs_ = DeviceBuffer<offset_t>(host.row_ptrs, stream);
            TILESPMV_CUDA(cudaStreamSynchronize(stream));
        }
    }

    [[nodiscard]] index_t rows() const { return rows_; }
    [[nodiscard]] index_t cols() const { return cols_; }
    [[nodiscard]] offset_t nnz() const { return nnz_; }
    [[nodiscard]] std::size_t bytes() const {
        return narrow_ptrs_.bytes() + wide_ptrs_.bytes() + col_idxs_.bytes() + values_.bytes();
    }

    void update_values(const V* device_values, cudaStream_t stream) {
        TILESPMV_CUDA(
            cudaMemcpyAsync(values_.data(), device_values, values_.bytes(), cudaMemcpyDeviceToDevice, stream));
    }

    /// Calls f(view) with the type of row pointers that there is.
    template <class F>
    decltype(auto) visit(F&& f) const {
        if (is_narrow()) return f(CsrView<V, std::uint32_t>{narrow_ptrs_.data(), col_idxs_.data(), values_.data()});
        return f(CsrView<V, offset_t>{wide_ptrs_.data(), col_idxs_.data(), values_.data()});
    }

private:
    [[nodiscard]] bool is_narrow() const { return fits_32_bits(nnz_); }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    DeviceBuffer<std::uint32_t> narrow_ptrs_;
    DeviceBuffer<offset_t> wide_ptrs_;
    DeviceBuffer<index_t> col_idxs_;
    DeviceBuffer<V> values_;
};

}  // namespace tilespmv::cuda
