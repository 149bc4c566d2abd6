#pragma once

#include <algorithm>
#include <vector>

#include "tile/csr.hpp"

namespace tilespmv::testing {

struct Entry {
    index_t row = 0;
    index_t col = 0;
    double value = 0;
};

/// The CSR matrix with these nonzeros, those of a row in their order.
inline CsrMatrix<double> csr_of(index_t rows, index_t cols, std::vector<Entry> entries) {
    std::ranges::stable_sort(entries, {}, &Entry::row);
    CsrMatrix<double> csr{rows, cols, Buffer<offset_t>(static_cast<std::size_t>(rows) + 1, 0),
                          Buffer<index_t>(entries.size()), Buffer<double>(entries.size())};
    std::ranges::transform(entries, csr.col_idxs.begin(), &Entry::col);
    std::ranges::transform(entries, csr.values.begin(), &Entry::value);
    for (index_t r = 0; r < rows; ++r)
        csr.row_ptrs[r + 1] = std::ranges::upper_bound(entries, r, {}, &Entry::row) - entries.begin();
    return csr;
}

}  // namespace tilespmv::testing
