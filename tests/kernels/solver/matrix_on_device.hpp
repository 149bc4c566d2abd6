#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_csr.hpp"
#include "kernels/cuda/stream.hpp"
#include "tile/csr.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {

inline CsrMatrix<double> diagonal_matrix(index_t rows, double value) {
    CsrMatrix<double> m{rows, rows, Buffer<offset_t>(static_cast<std::size_t>(rows) + 1),
                        Buffer<index_t>(static_cast<std::size_t>(rows)),
                        Buffer<double>(static_cast<std::size_t>(rows), value)};
    for (index_t row = 0; row <= rows; ++row) m.row_ptrs[static_cast<std::size_t>(row)] = row;
    for (index_t row = 0; row < rows; ++row) m.col_idxs[static_cast<std::size_t>(row)] = row;
    return m;
}

/// A matrix in the memory of the GPU.
template <class T>
struct MatrixOnDevice {
    explicit MatrixOnDevice(const CsrMatrix<T>& a)
        : rows(a.rows),
          row_ptrs(a.row_ptrs, stream.get()),
          col_idxs(a.col_idxs, stream.get()),
          values(a.values, stream.get()) {
        TILESPMV_CUDA(cudaStreamSynchronize(stream.get()));
    }
    [[nodiscard]] cuda::DeviceCsrView<T> view() const {
        return {rows, rows, static_cast<offset_t>(values.size()), row_ptrs.data(), col_idxs.data(), values.data()};
    }

    cuda::Stream stream;
    index_t rows;
    cuda::DeviceBuffer<offset_t> row_ptrs;
    cuda::DeviceBuffer<index_t> col_idxs;
    cuda::DeviceBuffer<T> values;
};

template <class T>
std::vector<T> waves(index_t size) {
    std::vector<T> b(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(std::sin(static_cast<double>(i) + 1) + 0.25);
    return b;
}

/// A Laplacian whose rows add up to 0.
inline CsrMatrix<double> singular_path(index_t rows) {
    CsrMatrix<double> a = generate<double>("banded:n=" + std::to_string(rows) + ",half=1");
    for (index_t row = 0; row < rows; ++row) {
        for (auto k = a.row_ptrs[static_cast<std::size_t>(row)]; k < a.row_ptrs[static_cast<std::size_t>(row) + 1];
             ++k) {
            const bool is_end = row == 0 || row == rows - 1;
            const auto at = static_cast<std::size_t>(k);
            a.values[at] = a.col_idxs[at] != row ? -1 : is_end ? 1 : 2;
        }
    }
    return a;
}

}  // namespace tilespmv::testing
