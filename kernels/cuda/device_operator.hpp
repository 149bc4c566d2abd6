#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include <cuda_runtime_api.h>

#include "tile/types.hpp"

namespace tilespmv::cuda {

/// y = alpha * A * x + beta * y with everything in device memory, on a stream.
///  - `apply` neither allocates nor synchronises, so it can be captured into a graph; workspace is part of the object,
///    which therefore serves one product at a time.
///  - beta = 0 never reads y, alpha = 0 never reads A or x, NaN and Inf propagate as in a CSR product.
///  - Two calls with the same arguments give the same bits.
template <class V>
class DeviceOperator {
public:
    DeviceOperator() = default;
    DeviceOperator(const DeviceOperator&) = delete;
    DeviceOperator& operator=(const DeviceOperator&) = delete;
    virtual ~DeviceOperator() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual index_t rows() const = 0;
    [[nodiscard]] virtual index_t cols() const = 0;
    [[nodiscard]] virtual offset_t nnz() const = 0;
    /// Bytes of the matrix that one product reads, x and y apart.
    [[nodiscard]] virtual std::size_t matrix_bytes() const = 0;
    /// Device memory that the object holds: the matrix and its workspace.
    [[nodiscard]] virtual std::size_t device_bytes() const = 0;
    /// x: cols values; y: rows values; they must not overlap.
    virtual void apply(double alpha, const V* x, double beta, V* y, cudaStream_t stream) const = 0;
};

}  // namespace tilespmv::cuda
