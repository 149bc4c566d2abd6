#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/executed.hpp"
#include "kernels/registry.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {

/// y = alpha * A * x + beta * y with everything in device memory, on a stream.
///  - `apply` neither allocates nor synchronises, so it can be captured into a graph; workspace is part of the object,
///    which therefore serves one product at a time.
///  - beta = 0 never reads y, alpha = 0 never reads A or x, NaN and Inf propagate as in a CSR product
///    unless it `pads_with_zeros`.
///  - Two calls with the same arguments give the same bits if it `is_reproducible`.
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
    /// What a product multiplies, in which representations and formats; the contract is that of `Operator::executed`.
    [[nodiscard]] virtual std::vector<ExecutedPart> executed() const = 0;
    /// Device memory that the object holds: the matrix and its workspace.
    [[nodiscard]] virtual std::size_t device_bytes() const = 0;
    /// Whether two calls with the same arguments give the same bits, as they do in all operators of our own.
    [[nodiscard]] virtual bool is_reproducible() const { return true; }
    /// Whether zeros that the matrix does not have meet x, so that Inf and NaN in it reach rows that they should not.
    [[nodiscard]] virtual bool pads_with_zeros() const { return false; }
    /// x: cols values; y: rows values; they must not overlap.
    virtual void apply(double alpha, const V* x, double beta, V* y, cudaStream_t stream) const = 0;
    /// Replaces the values of A by those at `csr_values` in device memory: nnz of them, in the order of the CSR matrix
    /// with explicit zeros kept; the pattern stays. Neither allocates nor synchronises, so it can be captured into a
    /// graph. Throws `Error` if the operator cannot.
    virtual void update_values(const V* csr_values, cudaStream_t stream) {
        static_cast<void>(csr_values);
        static_cast<void>(stream);
        throw Error("operator " + std::string(name()) + " takes no new values; make it again from the new matrix");
    }
};

/// Makes the operator for the GPU of a specification `name[:option=value,...]`; throws as `find_operator` and
/// `MakeOnDevice` do.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view specification, const MatrixForms<V>& forms,
                                                        Accumulator accumulator, cudaStream_t stream);

/// An entry of the registry for the GPU.
template <class V>
constexpr OperatorInfo<V> on_device(OperatorEntry entry, MakeOnDevice<V> make) {
    entry.backend = Backend::cuda;
    return {entry, nullptr, make};
}

}  // namespace tilespmv::cuda
