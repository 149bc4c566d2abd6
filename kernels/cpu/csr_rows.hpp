#pragma once

#include <span>
#include <variant>

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv::cpu {

/// Rows in CSR form: all rows of a matrix, or the listed ones. A view. Sizes alone tell what is there: the address of
/// an empty array means nothing, for one in a mapped file has an address, too.
template <Value V>
struct CsrRows {
    /// Listed rows + 1 positions among the nonzeros, in one of the two widths; none if no row is listed.
    using RowPtrs = std::variant<std::span<const std::uint32_t>, std::span<const offset_t>>;

    std::span<const index_t> row_ids;  ///< ascending ids of the rows listed; empty: every row is
    RowPtrs row_ptrs;
    std::span<const index_t> col_idxs;
    std::span<const V> values;
    offset_t prefetch_distance = 0;  ///< nonzeros from the prefetch of x to its use; 0: none

    /// Rows listed.
    [[nodiscard]] offset_t size() const {
        const auto entries = std::visit([](auto ptrs) { return ptrs.size(); }, row_ptrs);
        return entries == 0 ? 0 : static_cast<offset_t>(entries) - 1;
    }
    [[nodiscard]] index_t row(offset_t k) const { return row_ids.empty() ? static_cast<index_t>(k) : row_ids[k]; }
    /// First nonzero of listed row k; k = size() gives their number.
    [[nodiscard]] offset_t begin(offset_t k) const {
        return std::visit([k](auto ptrs) { return static_cast<offset_t>(ptrs[k]); }, row_ptrs);
    }
    /// Prefetches x under nonzeros [first, end) into the second-level cache: they are too many for the first. Always
    /// inline, as compilers leave out calls that do nothing but this.
    [[gnu::always_inline]] void prefetch_x(const V* x, offset_t first, offset_t end) const {
        for (offset_t i = first; i < end; ++i) __builtin_prefetch(x + col_idxs[i], 0, 2);
    }
};

template <class T>
std::span<const T> view(const Buffer<T>& buffer) {
    return {buffer.begin(), buffer.end()};
}

template <Value V>
CsrRows<V> rows_of(const CsrMatrix<V>& a) {
    return {{}, view(a.row_ptrs), view(a.col_idxs), view(a.values)};
}

template <Value V>
CsrRows<V> rows_of(const DeferredCsr<V>& a) {
    CsrRows<V> rows{view(a.row_ids), view(a.row_ptrs32), view(a.col_idxs), view(a.values)};
    if (a.row_ptrs64.empty()) return rows;
    // The signed twin of the same type.
    rows.row_ptrs = std::span(reinterpret_cast<const offset_t*>(a.row_ptrs64.data()), a.row_ptrs64.size());
    return rows;
}

}  // namespace tilespmv::cpu
