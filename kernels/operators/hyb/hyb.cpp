#include "kernels/operators/hyb/hyb.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "tile/parallel.hpp"

namespace tilespmv {
Buffer<std::uint32_t> longer_rows(std::span<const offset_t> row_ptrs, offset_t width) {
    const auto rows = static_cast<std::int64_t>(row_ptrs.size()) - 1;
    Buffer<std::uint32_t> bits(static_cast<std::size_t>(div_up(rows, 32)));
    parallel_for(0, static_cast<std::int64_t>(bits.size()), kRowGrain, [&](std::int64_t word) {
        std::uint32_t found = 0;
        for (std::int64_t r = word * 32; r < std::min(rows, word * 32 + 32); ++r) {
            const auto row = static_cast<std::size_t>(r);
            if (row_ptrs[row + 1] - row_ptrs[row] > width) found |= 1U << r % 32;
        }
        bits[static_cast<std::size_t>(word)] = found;
    });
    return bits;
}

offset_t tile_rows_of(std::span<const std::uint32_t> row_bits) {
    offset_t found = 0;
    for (const std::uint32_t rows : row_bits) found += ((rows & 0xffffU) != 0 ? 1 : 0) + (rows >> 16 != 0 ? 1 : 0);
    return found;
}

offset_t hyb_width(std::span<const offset_t> row_ptrs) {
    const auto rows = static_cast<std::int64_t>(row_ptrs.size()) - 1;
    if (rows == 0) return 0;
    std::vector<offset_t> lengths(static_cast<std::size_t>(rows));
    for (std::size_t r = 0; r < lengths.size(); ++r) lengths[r] = row_ptrs[r + 1] - row_ptrs[r];
    const auto third = lengths.begin() + (div_up(rows, 3) - 1);  // rows up to it have at least its length
    std::ranges::nth_element(lengths, third, std::greater());
    return *third;
}

template <Value V>
Hyb<V> make_hyb(const CsrMatrix<V>& a) {
    const offset_t width = hyb_width(a.row_ptrs);
    return {make_ell(a, width), make_coo(a, width), longer_rows(a.row_ptrs, width)};
}

template <Value V>
void put_values(const CsrMatrix<V>& a, Hyb<V>& hyb) {
    put_values(a, hyb.ell);
    put_values(a, hyb.coo, hyb.ell.width);
}

#define TILESPMV_INSTANTIATE(V)                    \
    template Hyb<V> make_hyb(const CsrMatrix<V>&); \
    template void put_values(const CsrMatrix<V>&, Hyb<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
