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
    if (a.nnz() == 0) return m;
    const auto index = is_narrow ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    cusparseSpMatDescr_t descriptor = nullptr;
    TILESPMV_CUSPARSE(cusparseCreateCsr(&descriptor, a.rows, a.cols, a.nnz(), m.positions.data(), m.cols.data(),
                                        m.values.data(), index, index, CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>()));
    m.descriptor.reset(descriptor);
    return m;
}

}  // namespace tilespmv::cuda
