#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/executed.hpp"
#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv {

/// Anything that applies a matrix to a vector: y = alpha * A * x + beta * y.
///  - beta = 0 never reads y, alpha = 0 never reads A or x, NaN and Inf propagate as in a CSR product.
///  - Two calls with the same arguments give the same bits, whatever the number of threads.
///  - Operators of the CPU accumulate in double.
///  - An operator may keep workspace of its own: one product at a time per object.
template <Value V>
class Operator {
public:
    virtual ~Operator() = default;
    [[nodiscard]] virtual std::string_view name() const = 0;
    [[nodiscard]] virtual index_t rows() const = 0;
    [[nodiscard]] virtual index_t cols() const = 0;
    [[nodiscard]] virtual offset_t nnz() const = 0;
    /// Bytes of the matrix that one product reads, x and y apart.
    [[nodiscard]] virtual std::size_t matrix_bytes() const = 0;
    /// What a product multiplies, in which representations and formats. Unless the matrix has no nonzeros, which has no
    /// parts: every part has nonzeros, those of all are nnz(), their bytes are matrix_bytes(). The same for the same
    /// matrix, whatever the number of threads. May take a pass over the matrix.
    [[nodiscard]] virtual std::vector<ExecutedPart> executed() const = 0;
    /// x: cols values; y: rows values. They must not overlap. Throws `Error` if a size differs.
    virtual void apply(V alpha, std::span<const V> x, V beta, std::span<V> y) const = 0;
};

/// The forms of one matrix that operators are made from. They must outlive the operators.
template <Value V>
struct OperatorSource {
    const CsrMatrix<V>* csr = nullptr;
    const TileMatrix<V>* tiles = nullptr;
};

/// One operator of the list: its name on the command line, what it needs and how it is made.
template <Value V>
struct OperatorInfo {
    std::string_view name;
    std::string_view summary;
    bool needs_tiles = false;  ///< made from `OperatorSource::tiles`, otherwise from `csr`
    std::unique_ptr<Operator<V>> (*make)(const OperatorSource<V>&) = nullptr;
};

/// Every operator for the CPU, the reference first; none for values of 16 bits.
template <Value V>
std::span<const OperatorInfo<V>> operators();

/// The operator for the CPU called `name`; throws a usage `Error` that lists the names there are.
template <Value V>
const OperatorInfo<V>& find_operator(std::string_view name);

/// For operators: throws `Error` unless x has a.cols() values and y has a.rows().
template <Value V>
void check_sizes(const Operator<V>& a, std::span<const V> x, std::span<const V> y);

}  // namespace tilespmv
