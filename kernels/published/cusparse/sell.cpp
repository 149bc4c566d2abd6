#include "kernels/published/cusparse/sell.hpp"

#include <algorithm>

#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr index_t kSlice = SellMatrix<double, index_t>::kSlice;
constexpr std::int64_t kSliceGrain = 64;  // slices a thread takes at a time

template <Value V>
std::int64_t slices_of(const CsrMatrix<V>& a) {
    return div_up(a.rows, kSlice);
}

/// The longest row of a slice.
template <Value V>
offset_t width_of(const CsrMatrix<V>& a, std::int64_t slice) {
    offset_t width = 0;
    const std::int64_t end = std::min<std::int64_t>((slice + 1) * kSlice, a.rows);
    for (std::int64_t row = slice * kSlice; row < end; ++row) {
        width = std::max(width, a.row_ptrs[row + 1] - a.row_ptrs[row]);
    }
    return width;
}

template <class I, Value V>
void fill_slice(const CsrMatrix<V>& a, std::int64_t slice, SellMatrix<V, I>& sell) {
    const auto begin = static_cast<offset_t>(sell.slice_offsets[slice]);
    const auto end = static_cast<offset_t>(sell.slice_offsets[slice + 1]);
    std::fill(sell.col_idxs.data() + begin, sell.col_idxs.data() + end, I{-1});
    std::fill(sell.values.data() + begin, sell.values.data() + end, V{});
    for (std::int64_t row = slice * kSlice; row < std::min<std::int64_t>((slice + 1) * kSlice, a.rows); ++row) {
        offset_t at = begin + row % kSlice;
        for (offset_t k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k, at += kSlice) {
            sell.col_idxs[at] = a.col_idxs[k];
            sell.values[at] = a.values[k];
        }
    }
}

}  // namespace

template <Value V>
offset_t sell_size(const CsrMatrix<V>& a) {
    offset_t size = 0;
    for (std::int64_t slice = 0; slice < slices_of(a); ++slice) size += width_of(a, slice) * kSlice;
    return size;
}

template <class I, Value V>
SellMatrix<V, I> make_sell(const CsrMatrix<V>& a) {
    const auto slices = slices_of(a);
    SellMatrix<V, I> sell;
    sell.slice_offsets = Buffer<I>(static_cast<std::size_t>(slices) + 1);
    sell.slice_offsets[0] = 0;
    for (std::int64_t slice = 0; slice < slices; ++slice) {
        sell.slice_offsets[slice + 1] = sell.slice_offsets[slice] + static_cast<I>(width_of(a, slice) * kSlice);
    }
    const auto size = static_cast<std::size_t>(sell.slice_offsets[slices]);
    sell.col_idxs = Buffer<I>(size);
    sell.values = Buffer<V>(size);
    parallel_for(0, slices, kSliceGrain, [&](std::int64_t slice) { fill_slice(a, slice, sell); });
    return sell;
}

#define TILESPMV_INSTANTIATE(V)                                                        \
    template offset_t sell_size(const CsrMatrix<V>&);                                  \
    template SellMatrix<V, std::int32_t> make_sell<std::int32_t>(const CsrMatrix<V>&); \
    template SellMatrix<V, std::int64_t> make_sell<std::int64_t>(const CsrMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
