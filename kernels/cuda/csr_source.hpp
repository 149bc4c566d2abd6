#pragma once

#include "kernels/cuda/device_csr_view.hpp"
#include "kernels/matrix_forms.hpp"

struct CUstream_st;

namespace tilespmv::cuda {

/// The row pointers of a matrix in device memory. Throws `Error` if they or an array are not in the memory of the
/// current GPU, and as `validate_row_ptrs` does.
template <class V>
Buffer<offset_t> download_row_ptrs(const DeviceCsrView<V>& view, CUstream_st* stream);

/// A copy in host memory; throws as `download_row_ptrs`.
template <class V>
CsrMatrix<V> download(const DeviceCsrView<V>& view, CUstream_st* stream);

/// The CSR form that an operator is made from, wherever its columns and values lie; row pointers are at hand. What it
/// is made of must outlive it.
template <class V>
class CsrSource {
public:
    /// Of the CSR form in host memory if there is one, else of the one in device memory.
    CsrSource(const MatrixForms<V>& forms, CUstream_st* stream) : host_(forms.template find<CsrMatrix<V>>()) {
        if (host_ != nullptr) return;
        device_ = &forms.template get<DeviceCsrView<V>>();
        row_ptrs_ = download_row_ptrs(*device_, stream);
    }

    [[nodiscard]] index_t rows() const { return host_ != nullptr ? host_->rows : device_->rows; }
    [[nodiscard]] index_t cols() const { return host_ != nullptr ? host_->cols : device_->cols; }
    [[nodiscard]] offset_t nnz() const { return host_ != nullptr ? host_->nnz() : device_->nnz; }
    [[nodiscard]] const Buffer<offset_t>& row_ptrs() const { return host_ != nullptr ? host_->row_ptrs : row_ptrs_; }
    /// Null if it lies in device memory.
    [[nodiscard]] const CsrMatrix<V>* host() const { return host_; }
    [[nodiscard]] const DeviceCsrView<V>& device() const { return *device_; }

private:
    const CsrMatrix<V>* host_;
    const DeviceCsrView<V>* device_ = nullptr;
    Buffer<offset_t> row_ptrs_;
};

}  // namespace tilespmv::cuda
