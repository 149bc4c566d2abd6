#include "tile/transpose.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <omp.h>

#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr std::int64_t kColumnGrain = 128;  ///< columns that a thread does at a time
/// Pieces of rows: where columns are scattered, each has a count for most columns.
constexpr int kMostPieces = 16;

/// Consecutive rows that a thread transposes: nonzeros in each column from the first to the last of these rows, then
/// those of the rows before them, which say where theirs go.
struct RowPiece {
    std::size_t begin = 0, end = 0;
    index_t first_col = 0;
    std::vector<index_t> counts{};

    index_t& of(index_t col) { return counts[static_cast<std::size_t>(col - first_col)]; }
    [[nodiscard]] bool has(index_t col) const {
        return col >= first_col && static_cast<std::size_t>(col - first_col) < counts.size();
    }
};

/// As many pieces as threads, up to `kMostPieces`, of about as many nonzeros.
template <class V>
std::vector<RowPiece> cut_rows(const CsrMatrix<V>& a) {
    std::vector<RowPiece> pieces(static_cast<std::size_t>(std::min(omp_get_max_threads(), kMostPieces)));
    std::size_t row = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const offset_t nonzeros = a.nnz() * static_cast<offset_t>(i + 1) / static_cast<offset_t>(pieces.size());
        pieces[i].begin = row;
        while (row < static_cast<std::size_t>(a.rows) && a.row_ptrs[row] < nonzeros) ++row;
        pieces[i].end = row;
    }
    return pieces;
}

/// Calls f(row, position) for every nonzero of a piece.
template <class V, class F>
void for_nonzeros(const CsrMatrix<V>& a, const RowPiece& piece, F&& f) {
    for (std::size_t row = piece.begin; row < piece.end; ++row) {
        for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) f(row, static_cast<std::size_t>(p));
    }
}

template <class V>
void count_columns(const CsrMatrix<V>& a, RowPiece& piece) {
    const index_t* const begin = a.col_idxs.data() + a.row_ptrs[piece.begin];
    const index_t* const end = a.col_idxs.data() + a.row_ptrs[piece.end];
    if (begin == end) return;
    const auto [least, most] = std::minmax_element(begin, end);
    piece.first_col = *least;
    piece.counts.assign(static_cast<std::size_t>(*most - *least) + 1, 0);
    for (const index_t* col = begin; col < end; ++col) ++piece.of(*col);
}

/// Every piece gets the sum over those before it; the sum over all is returned.
offset_t count_before(std::vector<RowPiece>& pieces, index_t col) {
    index_t sum = 0;
    for (RowPiece& piece : pieces) {
        if (piece.has(col)) sum += std::exchange(piece.of(col), sum);
    }
    return sum;
}

}  // namespace

template <Value V>
Transpose<V> transpose_pattern(const CsrMatrix<V>& a) {
    const auto nnz = static_cast<std::size_t>(a.nnz()), cols = static_cast<std::size_t>(a.cols);
    Transpose<V> t{{a.cols, a.rows, Buffer<offset_t>(cols + 1, 0), Buffer<index_t>(nnz), Buffer<V>(nnz)},
                   Buffer<offset_t>(nnz)};
    auto& ptrs = t.matrix.row_ptrs;
    std::vector<RowPiece> pieces = cut_rows(a);
    const auto count = static_cast<std::int64_t>(pieces.size());
    parallel_for(0, count, 1, [&](std::int64_t i) { count_columns(a, pieces[static_cast<std::size_t>(i)]); });
    parallel_for(0, a.cols, kColumnGrain, [&](std::int64_t col) {
        ptrs[static_cast<std::size_t>(col) + 1] = count_before(pieces, static_cast<index_t>(col));
    });
    for (std::size_t col = 0; col < cols; ++col) ptrs[col + 1] += ptrs[col];
    parallel_for(0, count, 1, [&](std::int64_t i) {
        RowPiece& piece = pieces[static_cast<std::size_t>(i)];
        for_nonzeros(a, piece, [&](std::size_t row, std::size_t p) {
            const index_t col = a.col_idxs[p];
            const auto to = static_cast<std::size_t>(ptrs[static_cast<std::size_t>(col)] + piece.of(col)++);
            t.matrix.col_idxs[to] = static_cast<index_t>(row);
            t.positions[to] = static_cast<offset_t>(p);
        });
    });
    return t;
}

template <Value V>
void gather_values(std::span<const V> values, const Buffer<offset_t>& positions, Buffer<V>& to) {
    parallel_for(0, static_cast<std::int64_t>(to.size()), kRowGrain, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        to[at] = values[static_cast<std::size_t>(positions[at])];
    });
}

#define TILESPMV_INSTANTIATE(V)                                   \
    template Transpose<V> transpose_pattern(const CsrMatrix<V>&); \
    template void gather_values(std::span<const V>, const Buffer<offset_t>&, Buffer<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
