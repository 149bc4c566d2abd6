#include "kernels/cuda/download.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "kernels/cuda/device_buffer.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

void require_on_current_device(const void* data, std::size_t size, std::string_view what) {
    if (size == 0) return;
    int current = 0;
    cudaPointerAttributes attributes{};
    TILESPMV_CUDA(cudaGetDevice(&current));
    TILESPMV_CUDA(cudaPointerGetAttributes(&attributes, data));
    const bool is_device = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
    if (!is_device) throw Error(fmt::format("the {} of a matrix in device memory are not in device memory", what));
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != current) {
        throw Error(fmt::format("the {} of a matrix are in the memory of GPU {}, but GPU {} is current", what,
                                attributes.device, current));
    }
}

template <class T>
Buffer<T> copied(const T* device, std::size_t size, cudaStream_t stream) {
    Buffer<T> host(size);
    TILESPMV_CUDA(cudaMemcpyAsync(host.data(), device, host.bytes(), cudaMemcpyDeviceToHost, stream));
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    return host;
}

}  // namespace

template <class V>
Buffer<offset_t> download_row_ptrs(const DeviceCsrView<V>& view, cudaStream_t stream) {
    if (view.rows < 0 || view.cols < 0 || view.nnz < 0) throw Error("a matrix in device memory has a negative size");
    const auto size = static_cast<std::size_t>(view.rows) + 1;
    require_on_current_device(view.col_idxs, static_cast<std::size_t>(view.nnz), "columns");
    require_on_current_device(view.values, static_cast<std::size_t>(view.nnz), "values");
    auto row_ptrs = std::visit(
        [&](const auto* device) {
            require_on_current_device(device, size, "row pointers");
            const auto given = copied(device, size, stream);
            Buffer<offset_t> wide(size);
            std::copy(given.begin(), given.end(), wide.begin());
            return wide;
        },
        view.row_ptrs);
    // Neither columns nor values are read.
    CsrMatrix<V> shell{view.rows, view.cols, std::move(row_ptrs),
                       Buffer<index_t>::view(nullptr, static_cast<std::size_t>(view.nnz), nullptr),
                       Buffer<V>::view(nullptr, static_cast<std::size_t>(view.nnz), nullptr)};
    validate_row_ptrs(shell);
    return std::move(shell.row_ptrs);
}

template <class V>
CsrMatrix<V> download(const DeviceCsrView<V>& view, cudaStream_t stream) {
    auto row_ptrs = download_row_ptrs(view, stream);
    const auto nnz = static_cast<std::size_t>(view.nnz);
    return {view.rows, view.cols, std::move(row_ptrs), copied(view.col_idxs, nnz, stream),
            copied(view.values, nnz, stream)};
}

#define TILESPMV_INSTANTIATE(V)                                                         \
    template Buffer<offset_t> download_row_ptrs(const DeviceCsrView<V>&, cudaStream_t); \
    template CsrMatrix<V> download(const DeviceCsrView<V>&, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
