#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_csr.hpp"
#include "kernels/published/cusparse/cusparse.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {

/// A matrix as cuSPARSE knows it, with the device memory behind it.
struct DescribedMatrix {
    DeviceBuffer<std::byte> positions;  ///< row pointers, rows or slice offsets
    DeviceBuffer<std::byte> cols;
    DeviceBuffer<std::byte> values;
    SparseMatrix descriptor = nullptr;

    [[nodiscard]] std::size_t bytes() const { return positions.bytes() + cols.bytes() + values.bytes(); }
};

template <class T>
DeviceBuffer<std::byte> upload_bytes(const Buffer<T>& host, const DeviceContext& on) {
    return {std::as_bytes(std::span<const T>(host.data(), host.size())), on};
}

template <class To>
Buffer<To> widened(const Buffer<index_t>& from) {
    Buffer<To> to(from.size());
    parallel_for(0, static_cast<std::int64_t>(to.size()), 1 << 16, [&](std::int64_t i) { to[i] = from[i]; });
    return to;
}

template <class V>
void describe_arrays(DescribedMatrix& m, index_t rows, index_t cols, offset_t nnz, bool is_narrow) {
    const auto index = is_narrow ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    cusparseSpMatDescr_t descriptor = nullptr;
    TILESPMV_CUSPARSE(cusparseCreateCsr(&descriptor, rows, cols, nnz, m.positions.data(), m.cols.data(),
                                        m.values.data(), index, index, CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>()));
    m.descriptor.reset(descriptor);
}

template <class V>
DescribedMatrix describe_csr(const CsrMatrix<V>& a, const DeviceContext& on) {
    DescribedMatrix m;
    const bool is_narrow = fits_32_bits(a.nnz());
    if (is_narrow) {
        const auto row_ptrs = narrowed(a.row_ptrs);
        m.positions = upload_bytes(row_ptrs, on);
        m.cols = upload_bytes(a.col_idxs, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    } else {
        const auto cols = widened<offset_t>(a.col_idxs);
        m.positions = upload_bytes(a.row_ptrs, on);
        m.cols = upload_bytes(cols, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    }
    m.values = upload_bytes(a.values, on);
    if (a.nnz() > 0) describe_arrays<V>(m, a.rows, a.cols, a.nnz(), is_narrow);
    return m;
}

/// Of a matrix that is on the GPU alone, with 32-bit row pointers, copies are made there.
template <class V>
DescribedMatrix describe_csr(const Source<V>& source, const DeviceContext& on) {
    const auto* const there = csr_only_on_device(source);
    const auto* const row_ptrs = there == nullptr ? nullptr : std::get_if<const std::int32_t*>(&there->row_ptrs);
    if (row_ptrs == nullptr) return describe_csr(source.csr(), on);
    const auto copied = [&](const auto* array, offset_t size) {
        return copied_on_device(reinterpret_cast<const std::byte*>(array), size * static_cast<offset_t>(sizeof(*array)),
                                on);
    };
    DescribedMatrix m;
    m.positions = copied(*row_ptrs, offset_t{there->rows} + 1);
    m.cols = copied(there->col_idxs, there->nnz);
    m.values = copied(there->values, there->nnz);
    if (there->nnz > 0) describe_arrays<V>(m, there->rows, there->cols, there->nnz, true);
    return m;
}

}  // namespace tilespmv::cuda
