#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/executed.hpp"
#include "tile/csr.hpp"
#include "tile/types.hpp"

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
    /// Its name in the table of operators; lives as long as the program.
    [[nodiscard]] virtual std::string_view name() const = 0;
    /// What it was made by, `name[:option=value,...]`, of `auto` that of the operator it took; the name, unless set.
    [[nodiscard]] std::string_view specification() const { return specification_.empty() ? name() : specification_; }
    void set_specification(std::string_view specification) { specification_ = specification; }
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
    /// Replaces the values of A by `values`: nnz() of them, in the order of its CSR form with explicit zeros kept; the
    /// pattern stays. Throws `Error` for another number of values and, as it does unless overridden, if the operator
    /// cannot.
    virtual void update_values(std::span<const V> values);
    /// `a`, the CSR matrix that the operator was made from and whose arrays are where they were, has other values now:
    /// products are of them from now on. False if it must be made again for that. Allocates nothing, but for a map of
    /// tiles that it owns, when it is called first.
    virtual bool take_new_values(const CsrMatrix<V>& a) {
        static_cast<void>(a);
        return false;
    }

private:
    std::string specification_;
};

/// For operators: throws `Error` unless x has a.cols() values and y has a.rows().
template <Value V>
void check_sizes(const Operator<V>& a, std::span<const V> x, std::span<const V> y);

}  // namespace tilespmv
