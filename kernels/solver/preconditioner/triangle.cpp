#include "kernels/solver/preconditioner/triangle.hpp"

#include <algorithm>

#include "tile/parallel.hpp"

namespace tilespmv::solver {
namespace {

template <class T>
[[noreturn]] void refuse_row(std::string_view preconditioner, index_t row, const T* value) {
    const std::string found = value == nullptr ? "none" : fmt::format("{}", *value);
    throw Error(
        fmt::format("no {} preconditioner: it needs a positive diagonal, row {} has {}; the matrix is not "
                    "positive definite",
                    preconditioner, std::int64_t{row} + 1, found));
}

}  // namespace

template <class T>
void find_diagonal(const CsrMatrix<T>& a, std::string_view preconditioner, Buffer<offset_t>& positions) {
    require_rows(a, positions.size());
    parallel_for(0, a.rows, 1024, [&](std::int64_t i) {
        const auto row = static_cast<std::size_t>(i);
        const index_t* const last = a.col_idxs.data() + a.row_ptrs[row + 1];
        const index_t* const found = std::lower_bound(a.col_idxs.data() + a.row_ptrs[row], last, i);
        const bool is_there = found != last && *found == i;
        positions[row] = found - a.col_idxs.data();
        const T* value = is_there ? &a.values[static_cast<std::size_t>(positions[row])] : nullptr;
        // NaN is left to the iteration to find.
        if (value == nullptr || *value <= 0) refuse_row(preconditioner, static_cast<index_t>(i), value);
    });
}

template void find_diagonal(const CsrMatrix<double>&, std::string_view, Buffer<offset_t>&);
template void find_diagonal(const CsrMatrix<float>&, std::string_view, Buffer<offset_t>&);

}  // namespace tilespmv::solver
