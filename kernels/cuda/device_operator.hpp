#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/accumulator.hpp"
#include "kernels/executed.hpp"
#include "tile/csr.hpp"
#include "tile/error.hpp"
#include "tile/options.hpp"
#include "tile/tile_matrix.hpp"

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

/// The forms of one matrix, in the memory of the host, that operators are made from; not needed once they are made.
/// An operator on tiles takes the CSR form, if there is one, instead of unpacking the tiles.
template <class V>
struct DeviceSource {
    const CsrMatrix<V>* csr = nullptr;
    const TileMatrix<V>* tiles = nullptr;
};

/// One operator of the list: its name on the command line, what it needs and how it is made.
template <class V>
struct DeviceOperatorInfo {
    std::string_view name;
    std::string_view summary;  ///< says what options it takes
    bool needs_tiles = false;  ///< made from `DeviceSource::tiles`, otherwise from `csr`
    /// Uploads the matrix on `stream` and waits for it. Reads its options; throws `Error` (usage for bad options and
    /// accumulators, out of memory with the bytes, CUDA's errors).
    std::unique_ptr<DeviceOperator<V>> (*make)(const DeviceSource<V>& source, Options& options, Accumulator accumulator,
                                               cudaStream_t stream) = nullptr;
    /// The values that `option=all` stands for, such as "alg=1|2" or "rows=1|2,block=64|128"; empty if there are none.
    std::string_view sweeps = {};
    bool sums_in_own_type = false;  ///< accumulates float32 in float32 only
};

/// What an operator accumulates in if nobody asks for anything else.
template <class V>
constexpr Accumulator default_accumulator(const DeviceOperatorInfo<V>& info) {
    const bool is_narrow = info.sums_in_own_type && sizeof(V) == sizeof(float);
    return is_narrow ? Accumulator::float32 : tilespmv::default_accumulator<V>();
}

/// Every operator for the GPU. To add one: an entry in `operators.cpp`.
template <class V>
std::span<const DeviceOperatorInfo<V>> device_operators();

/// The operator of a specification `name[:option=value,...]`; throws a usage `Error` that lists the names there are.
template <class V>
const DeviceOperatorInfo<V>& find_device_operator(std::string_view specification);

/// Makes the operator of a specification from whichever form it needs.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view specification, const DeviceSource<V>& source,
                                                        Accumulator accumulator, cudaStream_t stream);

}  // namespace tilespmv::cuda
