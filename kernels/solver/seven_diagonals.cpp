#include "kernels/solver/seven_diagonals.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tile/parallel.hpp"

namespace tilespmv::solver {
namespace {

/// Of the diagonals on one side.
std::array<offset_t, 3> distances(index_t n) {
    const auto edge = static_cast<offset_t>(std::max(2.0, std::round(std::cbrt(n))));
    return {1, edge, edge * edge};
}

/// Nonzeros of the rows before `row`.
offset_t nonzeros_before(offset_t row, offset_t n, const std::array<offset_t, 3>& far) {
    offset_t sum = row;
    for (const offset_t d : far) {
        sum += std::max<offset_t>(row - d, 0);               // below the diagonal
        sum += std::min(row, std::max<offset_t>(n - d, 0));  // above it
    }
    return sum;
}

}  // namespace

template <Value V>
CsrMatrix<V> seven_diagonals(index_t n) {
    constexpr std::int64_t kGrain = 4096;
    const auto far = distances(n);
    const auto nnz = static_cast<std::size_t>(nonzeros_before(n, n, far));
    CsrMatrix<V> a{n, n, Buffer<offset_t>(static_cast<std::size_t>(n) + 1), Buffer<index_t>(nnz), Buffer<V>(nnz)};
    a.row_ptrs[0] = 0;
    parallel_for(0, n, kGrain, [&](std::int64_t row) {
        auto at = static_cast<std::size_t>(nonzeros_before(row, n, far));
        const auto add = [&](offset_t column) {
            if (column < 0 || column >= n) return;
            a.col_idxs[at] = static_cast<index_t>(column);
            a.values[at++] = V(0.125);
        };
        for (std::size_t k = far.size(); k > 0; --k) add(row - far[k - 1]);
        add(row);
        for (const offset_t d : far) add(row + d);
        a.row_ptrs[static_cast<std::size_t>(row) + 1] = static_cast<offset_t>(at);
    });
    return a;
}

template CsrMatrix<double> seven_diagonals(index_t);
template CsrMatrix<float> seven_diagonals(index_t);

}  // namespace tilespmv::solver
