#pragma once

#include <cstdint>

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv::cpu {

/// Rows in CSR form: all rows of a matrix, or the listed ones. A view.
template <Value V>
struct CsrRows {
    const index_t* row_ids = nullptr;           ///< ascending ids of the rows listed; null: every row is
    const std::uint32_t* row_ptrs32 = nullptr;  ///< listed rows + 1; null: `row_ptrs64` has them
    const offset_t* row_ptrs64 = nullptr;
    const index_t* col_idxs = nullptr;
    const V* values = nullptr;
    offset_t size = 0;            ///< rows listed
    offset_t x_ahead = 0;         ///< so many nonzeros before it is needed, x is asked for
    bool has_short_rows = false;  ///< of so few nonzeros that they are better multiplied in blocks of many rows

    [[nodiscard]] index_t row(offset_t k) const { return row_ids ? row_ids[k] : static_cast<index_t>(k); }
    /// First nonzero of listed row k; k = size gives their number.
    [[nodiscard]] offset_t begin(offset_t k) const { return row_ptrs32 ? row_ptrs32[k] : row_ptrs64[k]; }
    /// Asks for x under some nonzeros, into the second-level cache: they are too many for the first. Always inline, as
    /// compilers leave out calls that do nothing but this.
    [[gnu::always_inline]] void ask_for_x(const V* x, offset_t first, offset_t end) const {
        for (offset_t i = first; i < end; ++i) __builtin_prefetch(x + col_idxs[i], 0, 2);
    }
};

template <Value V>
CsrRows<V> rows_of(const CsrMatrix<V>& a) {
    return {nullptr, nullptr, a.row_ptrs.data(), a.col_idxs.data(), a.values.data(), a.rows};
}

template <Value V>
CsrRows<V> rows_of(const DeferredCsr<V>& a) {
    return {a.row_ids.data(),
            a.row_ptrs32.data(),
            reinterpret_cast<const offset_t*>(a.row_ptrs64.data()),  // the signed twin of the same type
            a.col_idxs.data(),
            a.values.data(),
            a.listed_rows()};
}

}  // namespace tilespmv::cpu
