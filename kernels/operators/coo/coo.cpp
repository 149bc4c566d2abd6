#include "kernels/operators/coo/coo.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

/// Where the nonzeros of each row begin in COO without the first `skip` of each.
template <Value V>
Buffer<offset_t> starts_of(const CsrMatrix<V>& a, offset_t skip) {
    Buffer<offset_t> starts(static_cast<std::size_t>(a.rows) + 1, 0);
    for (index_t r = 0; r < a.rows; ++r) {
        starts[r + 1] = starts[r] + std::max<offset_t>(a.row_ptrs[r + 1] - a.row_ptrs[r] - skip, 0);
    }
    return starts;
}

}  // namespace

template <Value V>
Coo<V> make_coo(const CsrMatrix<V>& a, offset_t skip) {
    const Buffer<offset_t> starts = starts_of(a, skip);
    const auto nnz = static_cast<std::size_t>(starts[a.rows]);
    Coo<V> coo{a.rows, a.cols, Buffer<index_t>(nnz), Buffer<index_t>(nnz), Buffer<V>(nnz)};
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t r) {
        offset_t from = a.row_ptrs[r] + skip;
        for (offset_t k = starts[r]; k < starts[r + 1]; ++k, ++from) {
            coo.row_idxs[k] = static_cast<index_t>(r);
            coo.col_idxs[k] = a.col_idxs[from];
            coo.values[k] = a.values[from];
        }
    });
    return coo;
}

template <Value V>
void put_values(const CsrMatrix<V>& a, Coo<V>& coo, offset_t skip) {
    parallel_ranges(0, coo.nnz(), kRowGrain, [&](std::int64_t first, std::int64_t last) {
        const auto rows = coo.row_idxs.begin();
        const offset_t begin = std::lower_bound(rows, rows + first, rows[first]) - rows;  // of the first row
        offset_t from = a.row_ptrs[rows[first]] + skip + (first - begin);
        for (offset_t k = first; k < last; ++k, ++from) {
            if (k > first && rows[k] != rows[k - 1]) from = a.row_ptrs[rows[k]] + skip;
            coo.values[k] = a.values[from];
        }
    });
}

Buffer<std::uint32_t> empty_rows(std::span<const offset_t> row_ptrs) {
    constexpr std::int64_t grain = 1 << 16;
    const auto rows = static_cast<std::int64_t>(row_ptrs.size()) - 1;
    const auto is_empty = [&](std::int64_t row) {
        return row_ptrs[static_cast<std::size_t>(row)] == row_ptrs[static_cast<std::size_t>(row) + 1];
    };
    std::vector<std::int64_t> ends(static_cast<std::size_t>(div_up(rows, grain)) + 1, 0);
    parallel_ranges(0, rows, grain, [&](std::int64_t first, std::int64_t end) {
        std::int64_t count = 0;
        for (std::int64_t row = first; row < end; ++row) count += is_empty(row) ? 1 : 0;
        ends[static_cast<std::size_t>(first / grain) + 1] = count;
    });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    Buffer<std::uint32_t> empty(static_cast<std::size_t>(ends.back()));
    parallel_ranges(0, rows, grain, [&](std::int64_t first, std::int64_t end) {
        auto at = static_cast<std::size_t>(ends[static_cast<std::size_t>(first / grain)]);
        for (std::int64_t row = first; row < end; ++row) {
            if (is_empty(row)) empty[at++] = static_cast<std::uint32_t>(row);
        }
    });
    return empty;
}

Buffer<std::uint32_t> blocks_back(std::span<const index_t> row_idxs, int block) {
    const std::int64_t blocks = div_up(static_cast<std::int64_t>(row_idxs.size()), std::int64_t{block});
    Buffer<std::uint32_t> back(static_cast<std::size_t>(blocks));
    parallel_for(0, blocks, kRowGrain, [&](std::int64_t b) {
        const auto first = row_idxs.begin() + b * block;
        const auto begin = std::lower_bound(row_idxs.begin(), first, *first) - row_idxs.begin();
        back[static_cast<std::size_t>(b)] = static_cast<std::uint32_t>(b - begin / block);
    });
    return back;
}

#define TILESPMV_INSTANTIATE(V)                              \
    template Coo<V> make_coo(const CsrMatrix<V>&, offset_t); \
    template void put_values(const CsrMatrix<V>&, Coo<V>&, offset_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
