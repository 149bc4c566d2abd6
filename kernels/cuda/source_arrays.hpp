#pragma once

#include <span>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_rows.hpp"
#include "kernels/operator.hpp"
#include "kernels/source.hpp"

namespace tilespmv::cuda {

/// Nonzeros up to which the plan of a matrix in the memory of the host is made there, where it takes less time than the
/// launches of kernels that make it.
inline constexpr offset_t kMostPlannedOnHost = 1'000'000;

/// The CSR form that is in device memory and nowhere else; null of any other.
template <class V>
const DeviceCsrView<V>* csr_only_on_device(const Source<V>& source) {
    return source.is_on_host() ? nullptr : source.find_device_csr();
}

template <class T>
void copy_there(T* to, const T* from, std::size_t size, cudaStream_t stream) {
    TILESPMV_CUDA(cudaMemcpyAsync(to, from, size * sizeof(T), cudaMemcpyDeviceToDevice, stream));
}

template <class T>
DeviceBuffer<T> copied_on_device(const T* there, offset_t size, const DeviceContext& on) {
    DeviceBuffer<T> copy(static_cast<std::size_t>(size), on);
    TILESPMV_CUDA(cudaMemcpyAsync(copy.data(), there, copy.bytes(), cudaMemcpyDeviceToDevice, on.stream));
    return copy;
}

/// A copy of the columns of the CSR form in device memory, which work that is put on the stream afterwards finds
/// complete.
template <class V>
DeviceBuffer<index_t> columns_on_device(const Source<V>& source, const DeviceContext& on) {
    if (const auto* there = source.find_device_csr()) return copied_on_device(there->col_idxs, there->nnz, on);
    return DeviceBuffer<index_t>(source.csr().col_idxs, on);
}
/// One of its values.
template <class V>
DeviceBuffer<V> values_on_device(const Source<V>& source, const DeviceContext& on) {
    if (const auto* there = source.find_device_csr()) return copied_on_device(there->values, there->nnz, on);
    return DeviceBuffer<V>(source.csr().values, on);
}

/// Columns of the CSR form for kernels that read them: where they are if that is device memory, else a copy.
class ColumnsToRead {
public:
    template <class V>
    ColumnsToRead(const Source<V>& source, const DeviceContext& on) {
        const auto* const there = source.find_device_csr();
        if (there == nullptr) own_ = columns_on_device(source, on);
        columns_ = there != nullptr ? there->col_idxs : own_.data();
    }
    [[nodiscard]] const index_t* columns() const { return columns_; }

private:
    DeviceBuffer<index_t> own_;
    const index_t* columns_;
};

/// Columns and values, for kernels that put them into the places of another form.
template <class V>
class CsrToRead : public ColumnsToRead {
public:
    CsrToRead(const Source<V>& source, const DeviceContext& on) : ColumnsToRead(source, on) {
        const auto* const there = source.find_device_csr();
        if (there == nullptr) own_ = values_on_device(source, on);
        values_ = there != nullptr ? there->values : own_.data();
    }
    [[nodiscard]] const V* values() const { return values_; }
    /// As many new ones, for the copy.
    void replace_values(std::span<const V> values, cudaStream_t stream) { own_.upload(values, stream); }

private:
    DeviceBuffer<V> own_;
    const V* values_;
};

/// Whether the host makes the plan of a matrix.
template <class V>
bool is_planned_on_host(const Source<V>& source) {
    return csr_only_on_device(source) == nullptr && source.nnz() <= kMostPlannedOnHost;
}

/// Counts bytes that were copied to the host, if the matrix was not there before.
template <class V>
void count_bytes_to_host(const Source<V>& source, std::size_t bytes) {
    if (csr_only_on_device(source) != nullptr) source.add_bytes_to_host(bytes);
}

/// A copy of its row pointers in 64 bits. Those of a matrix that is in device memory alone are checked there.
template <class V>
DeviceBuffer<offset_t> row_ptrs_on_device(const Source<V>& source, const DeviceContext& on) {
    const auto* const there = csr_only_on_device(source);
    if (there == nullptr) return DeviceBuffer<offset_t>(source.row_ptrs(), on);
    static_cast<void>(source.row_statistics());
    DeviceBuffer<offset_t> copy(static_cast<std::size_t>(source.rows()) + 1, on);
    copy_row_ptrs(pattern_of(*there), copy.data(), on.stream);
    return copy;
}

/// Tile rows with nonzeros.
template <class V>
offset_t tile_rows_of(const Source<V>& source) {
    if (csr_only_on_device(source) != nullptr) return source.row_statistics().tile_rows;
    return occupied_tile_rows(source.row_ptrs(), 0, source.rows());
}

/// The CSR form for those who ask for its sizes only: all arrays are null.
template <class V>
CsrMatrix<V> csr_sizes(const Source<V>& source) {
    const auto nnz = static_cast<std::size_t>(source.nnz());
    return {source.rows(), source.cols(),
            Buffer<offset_t>::view(nullptr, static_cast<std::size_t>(source.rows()) + 1, nullptr),
            Buffer<index_t>::view(nullptr, nnz, nullptr), Buffer<V>::view(nullptr, nnz, nullptr)};
}

}  // namespace tilespmv::cuda
