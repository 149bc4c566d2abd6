#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tile/buffer.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// Compressed sparse rows, the form every matrix has before it is tiled.
/// Invariants (checked by `validate`): `row_ptrs` has rows + 1 ascending entries from 0 to nnz; the columns of a row
/// ascend strictly and lie in [0, cols). Explicit zeros are ordinary nonzeros.
template <Value V>
struct CsrMatrix {
    index_t rows = 0;
    index_t cols = 0;
    Buffer<offset_t> row_ptrs{0};  ///< rows + 1
    Buffer<index_t> col_idxs;      ///< nnz, from 0
    Buffer<V> values;              ///< nnz

    [[nodiscard]] offset_t nnz() const noexcept { return static_cast<offset_t>(col_idxs.size()); }
    /// A copy in memory of its own; throws `Error` if there is not enough.
    [[nodiscard]] CsrMatrix clone() const { return {rows, cols, row_ptrs.clone(), col_idxs.clone(), values.clone()}; }
    friend bool operator==(const CsrMatrix&, const CsrMatrix&) = default;
};

/// A CSR matrix over arrays of the caller's, which must outlive it: columns and values are not copied, row pointers
/// only where they have 32 bits. Nothing is checked (see `validate`), and nobody may write through it.
template <Value V>
CsrMatrix<V> borrow_csr(index_t rows, index_t cols, std::span<const std::int64_t> row_ptrs,
                        std::span<const index_t> col_idxs, std::span<const V> values);
template <Value V>
CsrMatrix<V> borrow_csr(index_t rows, index_t cols, std::span<const std::int32_t> row_ptrs,
                        std::span<const index_t> col_idxs, std::span<const V> values);

/// The pattern of `a` with other values, as by `borrow_csr`.
template <Value V>
CsrMatrix<V> with_values(const CsrMatrix<V>& a, std::span<const V> values) {
    return borrow_csr<V>(a.rows, a.cols, std::span<const std::int64_t>(a.row_ptrs.data(), a.row_ptrs.size()),
                         std::span<const index_t>(a.col_idxs.data(), a.col_idxs.size()), values);
}

/// Throws `Error` if the sizes of the arrays or the row pointers break an invariant of `CsrMatrix`; columns are not
/// read.
template <Value V>
void validate_row_ptrs(const CsrMatrix<V>& a);

/// Throws `Error` naming the first row that breaks an invariant of `CsrMatrix`, and how.
template <Value V>
void validate(const CsrMatrix<V>& a);

/// The same matrix with its values rounded to `To`. Throws `Error` with row and column (from 1) of the first finite
/// value that `To` has no number for, and as `validate_row_ptrs` does; Inf and NaN stay. The arrays are copies.
template <Value To, Value From>
CsrMatrix<To> convert_values(const CsrMatrix<From>& a);

}  // namespace tilespmv
