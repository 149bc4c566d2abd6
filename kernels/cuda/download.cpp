#include "kernels/cuda/download.hpp"

#include <iterator>
#include <type_traits>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "kernels/cuda/device_buffer.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"

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

}  // namespace

template <class T>
Buffer<T> download(const T* device, offset_t size, cudaStream_t stream) {
    Buffer<T> host(static_cast<std::size_t>(size));
    copy_to_host(host.data(), device, host.bytes(), stream);
    return host;
}

template <class V>
void require_in_device_memory(const DeviceCsrView<V>& view) {
    if (view.rows < 0 || view.cols < 0 || view.nnz < 0) throw Error("a matrix in device memory has a negative size");
    require_on_current_device(view.col_idxs, static_cast<std::size_t>(view.nnz), "columns");
    require_on_current_device(view.values, static_cast<std::size_t>(view.nnz), "values");
    std::visit([&](const auto* row_ptrs) { require_on_current_device(row_ptrs, 1, "row pointers"); }, view.row_ptrs);
}

template <class V>
Buffer<offset_t> download_row_ptrs(const DeviceCsrView<V>& view, cudaStream_t stream) {
    require_in_device_memory(view);
    const auto size = static_cast<std::size_t>(view.rows) + 1;
    auto row_ptrs = std::visit(
        [&](const auto* device) {
            auto given = download(device, static_cast<offset_t>(size), stream);
            if constexpr (std::is_same_v<decltype(given), Buffer<offset_t>>) {
                return given;
            } else {
                Buffer<offset_t> wide(size);
                parallel_for(0, std::ssize(given), 1 << 16, [&](std::int64_t i) { wide[i] = given[i]; });
                return wide;
            }
        },
        view.row_ptrs);
    // Neither columns nor values are read.
    CsrMatrix<V> shell{view.rows, view.cols, std::move(row_ptrs),
                       Buffer<index_t>::view(nullptr, static_cast<std::size_t>(view.nnz), nullptr),
                       Buffer<V>::view(nullptr, static_cast<std::size_t>(view.nnz), nullptr)};
    validate_row_ptrs(shell);
    return std::move(shell.row_ptrs);
}

#define TILESPMV_INSTANTIATE(V)                                                         \
    template void require_in_device_memory(const DeviceCsrView<V>&);                    \
    template Buffer<offset_t> download_row_ptrs(const DeviceCsrView<V>&, cudaStream_t); \
    template Buffer<V> download(const V*, offset_t, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)
template Buffer<index_t> download(const index_t*, offset_t, cudaStream_t);

}  // namespace tilespmv::cuda
