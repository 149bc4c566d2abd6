#pragma once

#include <algorithm>
#include <array>

#include <hwy/cache_control.h>

#include "kernels/block.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/tuning.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cpu {

/// The product of CSR rows with several columns. A chunk of the matrix stays in the cache while one panel of columns
/// after the other is multiplied by it, so that the matrix is read once. A column has a vector lane, which adds the
/// nonzeros of a row in their order, whatever the other columns are. X is read by rows: in column-major layout it is
/// copied, to memory that is kept: new pages take longer than the copy.
template <Value V>
class CsrColumns {
public:
    CsrColumns(const CsrRows<V>& a, const Schedule& schedule, const SimdKernels<V>& simd, Buffer<V>& copy)
        : a_(a), schedule_(schedule), simd_(simd), copy_(copy) {}

    void multiply(V alpha, const Block<const V>& x, V beta, const Block<V>& y) const {
        if (x.layout == Layout::row_major) return multiply_rows(alpha, x, beta, y);
        const auto ld = static_cast<std::size_t>(div_up(x.cols, simd_.lanes) * simd_.lanes);
        if (copy_.size() < x.rows * ld) copy_ = Buffer<V>(x.rows * ld);
        const Block<V> rows(copy_.data(), x.rows, x.cols, ld, Layout::row_major, Memory::host);
        parallel_ranges(0, static_cast<std::int64_t>(x.rows), kRowGrain, [&](std::int64_t first, std::int64_t end) {
            simd_.copy_to_rows(x, static_cast<std::size_t>(first), static_cast<std::size_t>(end), rows, is_streamed(x));
        });
        multiply_rows(alpha, rows, beta, y);
    }

private:
    static bool is_streamed(const Block<const V>& block) { return block.size() * sizeof(V) >= kStreamedBytes; }

    static constexpr index_t kRows = 64;  ///< whose sums stay in the nearest cache
    static_assert(kRows % kTileSize == 0);
    using Sums = std::array<double, std::size_t{kRows} * SimdKernels<V>::kMostPanelColumns>;

    void multiply_rows(V alpha, const Block<const V>& x, V beta, const Block<V>& y) const {
        const auto& s = schedule_;
        const bool streams = is_streamed(y);
        const int panels = static_cast<int>(div_up(x.cols, simd_.panel_columns));
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
                for (int p = 0; p < panels; ++p) run_chunk(s.chunks[i], alpha, panel(x, p), beta, panel(y, p), streams);
            }
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < s.heavy.size(); ++i) {
                for (int p = 0; p < panels; ++p)
                    finish_heavy(s.heavy[i], piece_sums.data() + p * sums_of_piece(), panels, alpha, beta, panel(y, p));
            }
        }
    }

    [[nodiscard]] std::size_t sums_of_piece() const {
        return static_cast<std::size_t>(kTileSize * simd_.panel_columns);
    }

    template <class T>
    [[nodiscard]] Block<T> panel(const Block<T>& all, int p) const {
        const int first = p * simd_.panel_columns;
        return all.columns(first, std::min(simd_.panel_columns, all.cols - first));
    }

    void run_chunk(const Chunk& c, V alpha, const Block<const V>& x, V beta, const Block<V>& y, bool streams) const {
        Sums sums;
        for (index_t row = c.row; row < c.row + c.rows; row += kRows) {
            const index_t end = std::min(row + kRows, c.row + c.rows);
            simd_.sum_csr_columns(a_, {row, end}, {a_.begin(row), a_.begin(end)}, x, sums.data());
            simd_.finish_columns(sums.data(), alpha, beta, y.row_range(row, end - row), streams);
        }
        if (streams) hwy::FlushStream();
    }

    void add_piece(const Piece& piece, const Block<const V>& x, double* sums) const {
        const Chunk& c = schedule_.heavy[piece.heavy].chunk;
        simd_.sum_csr_columns(a_, c.csr_rows, piece.nonzeros, x, sums);
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
    Buffer<V>& copy_;
};

}  // namespace tilespmv::cpu
