#include "kernels/solver/preconditioner/sparse_product.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "tile/parallel.hpp"

namespace tilespmv::solver {
namespace {

constexpr std::int64_t kProductRows = 128;  ///< that a thread does at a time

template <class V>
void merge_row(const CsrMatrix<V>& a, const CsrMatrix<V>& b, std::size_t row, std::vector<index_t>& cols) {
    cols.clear();
    for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
        const auto k = static_cast<std::size_t>(a.col_idxs[static_cast<std::size_t>(p)]);
        cols.insert(cols.end(), b.col_idxs.data() + b.row_ptrs[k], b.col_idxs.data() + b.row_ptrs[k + 1]);
    }
    std::ranges::sort(cols);
    cols.erase(std::ranges::unique(cols).begin(), cols.end());
}

/// Calls f(row, columns) for rows of a * b while it says to go on, which is for every row unless it has seen enough.
template <class V, class F>
void for_merged_rows(const CsrMatrix<V>& a, const CsrMatrix<V>& b, F&& f) {
    parallel_ranges(0, a.rows, kProductRows, [&](std::int64_t first, std::int64_t last) {
        std::vector<index_t> cols;
        for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(last); ++row) {
            merge_row(a, b, row, cols);
            if (!f(row, cols)) return;
        }
    });
}

/// The least that a * b can have: each row holds the longest of the rows of b that it is made of.
template <class V>
offset_t least_nonzeros(const CsrMatrix<V>& a, const CsrMatrix<V>& b) {
    offset_t least = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row) {
        offset_t longest = 0;
        for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
            const auto k = static_cast<std::size_t>(a.col_idxs[static_cast<std::size_t>(p)]);
            longest = std::max(longest, b.row_ptrs[k + 1] - b.row_ptrs[k]);
        }
        least += longest;
    }
    return least;
}

/// Counts the nonzeros of the rows of a * b, until they are more than `most`; false then.
template <class V>
bool count_rows(const CsrMatrix<V>& a, const CsrMatrix<V>& b, offset_t most, Buffer<offset_t>& counts) {
    if (least_nonzeros(a, b) > most) return false;
    std::atomic<offset_t> all = 0;
    for_merged_rows(a, b, [&](std::size_t row, const auto& cols) {
        counts[row + 1] = static_cast<offset_t>(cols.size());
        return (all += counts[row + 1]) <= most;
    });
    return all <= most;
}

/// row[col of b's row] += factor * b's row, whose columns row has.
template <class V>
void add_row(const CsrMatrix<V>& b, std::size_t k, V factor, const index_t* cols, const index_t* end, V* values) {
    const index_t* at = cols;
    for (auto p = static_cast<std::size_t>(b.row_ptrs[k]); p < static_cast<std::size_t>(b.row_ptrs[k + 1]); ++p) {
        at = std::lower_bound(at, end, b.col_idxs[p]);
        values[at - cols] += factor * b.values[p];
    }
}

}  // namespace

template <class V>
std::optional<CsrMatrix<V>> product_pattern(const CsrMatrix<V>& a, const CsrMatrix<V>& b, offset_t most) {
    CsrMatrix<V> c;
    c.rows = a.rows;
    c.cols = b.cols;
    const auto rows = static_cast<std::size_t>(a.rows);
    c.row_ptrs = Buffer<offset_t>(rows + 1, 0);
    if (!count_rows(a, b, most, c.row_ptrs)) return {};
    for (std::size_t row = 0; row < rows; ++row) c.row_ptrs[row + 1] += c.row_ptrs[row];
    const auto nnz = static_cast<std::size_t>(c.row_ptrs[rows]);
    c.col_idxs = Buffer<index_t>(nnz);
    c.values = Buffer<V>(nnz);
    for_merged_rows(a, b, [&](std::size_t row, const auto& cols) {
        std::ranges::copy(cols, c.col_idxs.data() + c.row_ptrs[row]);
        return true;
    });
    return c;
}

template <class V>
void multiply_values(const CsrMatrix<V>& a, const CsrMatrix<V>& b, bool skip_last, CsrMatrix<V>& product) {
    parallel_for(0, a.rows, kProductRows, [&](std::int64_t i) {
        const auto row = static_cast<std::size_t>(i);
        const offset_t first = product.row_ptrs[row], last = product.row_ptrs[row + 1];
        std::fill(product.values.data() + first, product.values.data() + last, V{0});
        const auto end = static_cast<std::size_t>(a.row_ptrs[row + 1] - (skip_last ? 1 : 0));
        for (auto p = static_cast<std::size_t>(a.row_ptrs[row]); p < end; ++p) {
            add_row(b, static_cast<std::size_t>(a.col_idxs[p]), a.values[p], product.col_idxs.data() + first,
                    product.col_idxs.data() + last, product.values.data() + first);
        }
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                               \
    template std::optional<CsrMatrix<V>> product_pattern(const CsrMatrix<V>&, const CsrMatrix<V>&, offset_t); \
    template void multiply_values(const CsrMatrix<V>&, const CsrMatrix<V>&, bool, CsrMatrix<V>&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
