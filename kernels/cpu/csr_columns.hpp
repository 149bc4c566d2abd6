#pragma once

#include <algorithm>
#include <array>

#include <hwy/cache_control.h>
#include <omp.h>

#include "kernels/block.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/tuning.hpp"
#include "kernels/cpu/x_windows.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cpu {

/// Memory for rows of X, and what is found when it is needed first. It is kept: new pages take longer than copies.
template <Value V>
struct XCopies {
    Buffer<V> rows;
    std::vector<RowRange> columns_of_chunks;
};

/// The product of CSR rows with several columns. A chunk of the matrix stays in the cache while one panel of columns
/// after the other is multiplied by it, so that the matrix is read once. A column has a vector lane, which adds the
/// nonzeros of a row in their order, whatever the other columns are. X is read by rows: in column-major layout it is
/// copied, a window after the other where the columns of a chunk lie close together, which stay in the cache.
template <Value V>
class CsrColumns {
public:
    CsrColumns(const CsrRows<V>& a, const Schedule& schedule, const SimdKernels<V>& simd, XCopies<V>& copies)
        : a_(a), schedule_(schedule), simd_(simd), copies_(copies) {}

    void multiply(V alpha, const Block<const V>& x, V beta, const Block<V>& y) const {
        if (x.layout == Layout::row_major) return multiply_rows(alpha, x, beta, y);
        const XWindows windows = choose_windows(x);
        if (windows.rows > 0) return multiply_windows(windows, alpha, x, beta, y);
        const Block<V> rows = copy_of_rows(1, x.rows, x.cols, whole_vectors(x.cols));
        parallel_ranges(0, static_cast<std::int64_t>(x.rows), kRowGrain, [&](std::int64_t first, std::int64_t end) {
            const auto at = static_cast<std::size_t>(first), count = static_cast<std::size_t>(end - first);
            simd_.copy_to_rows(x.row_range(at, count), rows.row_range(at, count), is_streamed(x));
        });
        multiply_rows(alpha, rows, beta, y);
    }

private:
    static constexpr index_t kAllBits = -1;

    static bool is_streamed(const Block<const V>& block) { return block.size() * sizeof(V) >= kStreamedBytes; }

    [[nodiscard]] std::size_t whole_vectors(int columns) const {
        return static_cast<std::size_t>(div_up(columns, simd_.lanes) * simd_.lanes);
    }

    /// From a row of a ring to the next. What fills up vectors takes room in the cache.
    [[nodiscard]] std::size_t row_of_ring(int columns) const {
        const auto cols = static_cast<std::size_t>(columns), whole = whole_vectors(columns);
        return 2 * (whole - cols) <= cols ? whole : cols;
    }

    /// The first of `count` blocks of so many rows of X.
    [[nodiscard]] Block<V> copy_of_rows(int count, std::size_t rows, int columns, std::size_t ld) const {
        const std::size_t size = static_cast<std::size_t>(count) * rows * ld;
        if (copies_.rows.size() < size) copies_.rows = Buffer<V>(size);
        return {copies_.rows.data(), rows, columns, ld, Layout::row_major, Memory::host};
    }

    [[nodiscard]] XWindows choose_windows(const Block<const V>& x) const {
        if (!schedule_.pieces.empty()) return {};
        auto& columns = copies_.columns_of_chunks;
        if (columns.empty()) columns = columns_of_chunks<V>(a_, schedule_.chunks);
        const int threads = omp_get_max_threads();
        return make_x_windows(columns, threads > 1 ? kRunsOfThread * threads : 1, static_cast<index_t>(x.rows),
                              static_cast<index_t>(kWindowBytes / (row_of_ring(x.cols) * sizeof(V))));
    }

    void multiply_windows(const XWindows& windows, V alpha, const Block<const V>& x, V beta, const Block<V>& y) const {
        const bool streams = is_streamed(y);
        const Block<V> first =
            copy_of_rows(omp_get_max_threads(), static_cast<std::size_t>(windows.rows), x.cols, row_of_ring(x.cols));
#pragma omp parallel for schedule(dynamic, 1) if (schedule_.bytes * x.cols >= kTuning.parallel_bytes)
        for (std::size_t i = 0; i < windows.runs.size(); ++i) {
            Block<V> ring = first;
            ring.data += static_cast<std::size_t>(omp_get_thread_num()) * ring.rows * ring.ld;
            const auto [chunks, first_row] = windows.runs[i];
            index_t copied = first_row;
            for (auto c = static_cast<std::size_t>(chunks.begin); c < static_cast<std::size_t>(chunks.end); ++c) {
                copied = copy_until(copies_.columns_of_chunks[c].end, copied, x, ring);
                run_chunk(schedule_.chunks[c], alpha, ring, windows.rows - 1, beta, y, streams);
            }
        }
    }

    /// Copies rows [copied, end) of X to their places in the ring. Returns the row behind those that are copied.
    index_t copy_until(index_t end, index_t copied, const Block<const V>& x, const Block<V>& ring) const {
        while (copied < end) {
            const std::size_t from = static_cast<std::size_t>(copied), at = from & (ring.rows - 1);
            const std::size_t count = std::min(static_cast<std::size_t>(end) - from, ring.rows - at);
            simd_.copy_to_rows(x.row_range(from, count), ring.row_range(at, count), false);
            copied += static_cast<index_t>(count);
        }
        return copied;
    }

    static constexpr index_t kRows = SimdKernels<V>::kPanelRows;
    static_assert(kRows % kTileSize == 0);
    using Sums = std::array<double, std::size_t{kRows} * SimdKernels<V>::kMostPanelColumns>;

    void multiply_rows(V alpha, const Block<const V>& x, V beta, const Block<V>& y) const {
        const auto& s = schedule_;
        const bool streams = is_streamed(y);
        const int panels = panels_of(x.cols);
        Buffer<double> piece_sums(s.pieces.size() * sums_of_piece() * static_cast<std::size_t>(panels));
#pragma omp parallel if (s.bytes * x.cols >= kTuning.parallel_bytes)
        {
#pragma omp for schedule(dynamic, 1) nowait
            for (std::size_t i = 0; i < s.pieces.size(); ++i) {
                for (int p = 0; p < panels; ++p)
                    add_piece(s.pieces[i], panel(x, p), piece_sums.data() + (i * panels + p) * sums_of_piece());
            }
#pragma omp for schedule(dynamic, 1)
            for (std::size_t i = 0; i < s.chunks.size(); ++i) {
                run_chunk(s.chunks[i], alpha, x, kAllBits, beta, y, streams);
            }
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < s.heavy.size(); ++i) {
                for (int p = 0; p < panels; ++p)
                    finish_heavy(s.heavy[i], piece_sums.data() + p * sums_of_piece(), panels, alpha, beta, panel(y, p));
            }
        }
    }

    [[nodiscard]] int panels_of(int columns) const { return static_cast<int>(div_up(columns, simd_.panel_columns)); }

    [[nodiscard]] std::size_t sums_of_piece() const {
        return static_cast<std::size_t>(kTileSize * simd_.panel_columns);
    }

    template <class T>
    [[nodiscard]] Block<T> panel(const Block<T>& all, int p) const {
        const int first = p * simd_.panel_columns;
        return all.columns(first, std::min(simd_.panel_columns, all.cols - first));
    }

    void run_chunk(const Chunk& c, V alpha, const Block<const V>& x, index_t row_bits, V beta, const Block<V>& y,
                   bool streams) const {
        for (int p = 0; p < panels_of(x.cols); ++p)
            run_panel(c, alpha, panel(x, p), row_bits, beta, panel(y, p), streams);
        if (streams) hwy::FlushStream();
    }

    void run_panel(const Chunk& c, V alpha, const Block<const V>& x, index_t row_bits, V beta, const Block<V>& y,
                   bool streams) const {
        Sums sums;
        for (index_t row = c.row; row < c.row + c.rows; row += kRows) {
            const index_t end = std::min(row + kRows, c.row + c.rows);
            simd_.sum_csr_columns(a_, {row, end}, {a_.begin(row), a_.begin(end)}, x, row_bits, sums.data());
            simd_.finish_columns(sums.data(), alpha, beta, y.row_range(row, end - row), streams);
        }
    }

    void add_piece(const Piece& piece, const Block<const V>& x, double* sums) const {
        const Chunk& c = schedule_.heavy[piece.heavy].chunk;
        simd_.sum_csr_columns(a_, c.csr_rows, piece.nonzeros, x, kAllBits, sums);
    }

    void finish_heavy(const HeavyChunk& heavy, const double* piece_sums, int panels, V alpha, V beta,
                      const Block<V>& y) const {
        const auto count = static_cast<std::size_t>(heavy.chunk.rows * div_up(y.cols, simd_.lanes) * simd_.lanes);
        Sums sums;
        std::fill_n(sums.begin(), count, 0.0);
        for (offset_t p = heavy.pieces.begin; p < heavy.pieces.end; ++p) {
            const double* const of_piece = piece_sums + static_cast<std::size_t>(p * panels) * sums_of_piece();
            for (std::size_t i = 0; i < count; ++i) sums[i] += of_piece[i];
        }
        simd_.finish_columns(sums.data(), alpha, beta, y.row_range(heavy.chunk.row, heavy.chunk.rows), false);
    }

    const CsrRows<V>& a_;
    const Schedule& schedule_;
    const SimdKernels<V>& simd_;
    XCopies<V>& copies_;
};

}  // namespace tilespmv::cpu
