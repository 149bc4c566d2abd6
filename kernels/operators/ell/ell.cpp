#include "kernels/operators/ell/ell.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/refusal.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

template <Value V>
offset_t longest_row(const CsrMatrix<V>& a) {
    offset_t longest = 0;
    for (index_t r = 0; r < a.rows; ++r) longest = std::max(longest, a.row_ptrs[r + 1] - a.row_ptrs[r]);
    return longest;
}

template <Value V>
std::uint64_t bytes_of(index_t rows, offset_t width) {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(width) * (sizeof(index_t) + sizeof(V));
}

/// Of row `r`. Returns how many there are.
template <Value V>
offset_t put_row(const CsrMatrix<V>& a, std::int64_t r, Ell<V>& ell) {
    const offset_t first = a.row_ptrs[r];
    const offset_t held = std::min(a.row_ptrs[r + 1] - first, ell.width);
    for (offset_t k = 0; k < held; ++k) ell.values[k * a.rows + r] = a.values[first + k];
    return held;
}

}  // namespace

template <Value V>
std::uint64_t ell_bytes(const CsrMatrix<V>& a) {
    return bytes_of<V>(a.rows, longest_row(a));
}

template <Value V>
void refuse_ell_if_large(const CsrMatrix<V>& a, offset_t width) {
    const auto why = fmt::format("its longest row has {} nonzeros", width);
    refuse_if_large({"ELL", bytes_of<V>(a.rows, width), kEllAlwaysFine, why}, a);
}

template <Value V>
offset_t ell_width(const CsrMatrix<V>& a) {
    const offset_t longest = longest_row(a);
    refuse_ell_if_large(a, longest);
    return longest;
}

template <Value V>
Ell<V> make_ell(const CsrMatrix<V>& a) {
    return make_ell(a, ell_width(a));
}

template <Value V>
Ell<V> make_ell(const CsrMatrix<V>& a, offset_t width) {
    Ell<V> ell{a.rows, a.cols, width, {}, {}};
    const auto places = static_cast<std::size_t>(ell.width) * static_cast<std::size_t>(a.rows);
    ell.columns = Buffer<index_t>(places);
    ell.values = Buffer<V>(places);
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t r) {
        const offset_t held = put_row(a, r, ell);
        for (offset_t k = 0; k < ell.width; ++k) {
            ell.columns[k * a.rows + r] = k < held ? a.col_idxs[a.row_ptrs[r] + k] : Ell<V>::kNone;
        }
        for (offset_t k = held; k < ell.width; ++k) ell.values[k * a.rows + r] = V{};
    });
    return ell;
}

template <Value V>
void put_values(const CsrMatrix<V>& a, Ell<V>& ell) {
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t r) { put_row(a, r, ell); });
}

#define TILESPMV_INSTANTIATE(V)                                       \
    template std::uint64_t ell_bytes(const CsrMatrix<V>&);            \
    template void refuse_ell_if_large(const CsrMatrix<V>&, offset_t); \
    template offset_t ell_width(const CsrMatrix<V>&);                 \
    template Ell<V> make_ell(const CsrMatrix<V>&);                    \
    template Ell<V> make_ell(const CsrMatrix<V>&, offset_t);          \
    template void put_values(const CsrMatrix<V>&, Ell<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
