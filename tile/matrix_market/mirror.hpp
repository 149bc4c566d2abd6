#pragma once

#include <algorithm>
#include <optional>

#include "tile/csr.hpp"

namespace tilespmv::matrix_market {

/// How the entries of a square matrix beside its diagonal go together with those across it.
struct MirrorImage {
    struct Place {
        index_t row = 0;
        index_t col = 0;
    };
    offset_t entries = 0;  ///< beside the diagonal
    offset_t pairs = 0;    ///< entries with one across the diagonal
    offset_t equal = 0;    ///< of these, those of the same value, or of its negative
    // The first of each kind, in the order of rows.
    std::optional<Place> alone{};    ///< without one across the diagonal
    std::optional<Place> paired{};   ///< with one
    std::optional<Place> unequal{};  ///< with one of another value
};

/// The value at a place, null if there is no entry.
template <Value V>
const V* entry_at(const CsrMatrix<V>& a, index_t row, index_t col) {
    const auto* first = a.col_idxs.data() + a.row_ptrs[row];
    const auto* last = a.col_idxs.data() + a.row_ptrs[row + 1];
    const auto* found = std::lower_bound(first, last, col);
    return found != last && *found == col ? a.values.data() + (found - a.col_idxs.data()) : nullptr;
}

/// `negated`: whether equal means that one is the negative of the other. `a` must be square and valid.
template <Value V>
MirrorImage mirror_image(const CsrMatrix<V>& a, bool negated);

}  // namespace tilespmv::matrix_market
