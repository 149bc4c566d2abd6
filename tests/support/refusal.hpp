#pragma once

#include <utility>

#include "kernels/refusal.hpp"
#include "kernels/registry.hpp"

namespace tilespmv::testing {

/// What `make` makes of an operator, or null where it refuses the matrix, in which its representation would take many
/// times the bytes of CSR. Only operators that are `only_if_named` may.
template <class Make>
auto unless_refused(const OperatorEntry& entry, Make&& make) -> decltype(make()) {
    try {
        return std::forward<Make>(make)();
    } catch (const Refusal&) {
        if (!entry.only_if_named) throw;
        return nullptr;
    }
}

/// 2^20 x 16,384, the first row full and the others empty, which padded rows and diagonals are not made for.
inline CsrMatrix<float> one_long_row() {
    constexpr index_t rows = 1 << 20, longest = 1 << 14;
    CsrMatrix<float> a{rows, longest, Buffer<offset_t>(rows + 1, longest), Buffer<index_t>(longest),
                       Buffer<float>(longest, 1.0F)};
    a.row_ptrs[0] = 0;
    for (index_t i = 0; i < longest; ++i) a.col_idxs[i] = i;
    return a;
}

}  // namespace tilespmv::testing
