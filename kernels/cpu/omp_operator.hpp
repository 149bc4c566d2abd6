#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "formats/convert.hpp"
#include "kernels/cpu/cache_size.hpp"
#include "kernels/cpu/csr_columns.hpp"
#include "kernels/cpu/host_operator.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/write_rows.hpp"
#include "kernels/executed.hpp"
#include "kernels/source.hpp"
#include "selector/x_access.hpp"

namespace tilespmv::cpu {

/// The product of a matrix whose nonzeros stand in tiles, in CSR rows, or in both, but for rows that are strips.
template <Value V>
class OmpOperator : public HostOperator<V> {
public:
    struct Parts {
        std::string_view name;
        index_t rows = 0;
        index_t cols = 0;
        offset_t nnz = 0;
        std::size_t bytes = 0;
        const TileMatrix<V>* tiles = nullptr;  ///< may be null
        CsrRows<V> csr;
        std::vector<RowRange> ranges;  ///< of the rows in tiles or CSR, ascending; others are strips
        StripRows<V> strips = {};
        Source<V> source;  ///< whose arrays these are
    };

    explicit OmpOperator(Parts parts)
        : HostOperator<V>({.name = parts.name,
                           .rows = parts.rows,
                           .cols = parts.cols,
                           .nnz = parts.nnz,
                           .matrix_bytes = parts.bytes,
                           .most_columns = kAllColumns}),
          a_(std::move(parts)),
          schedule_(make_schedule<V>(a_.ranges, a_.tiles, a_.csr, static_cast<offset_t>(a_.strips.bytes()))),
          simd_(simd_kernels<V>()),
          piece_sums_(schedule_.pieces.size() * kTileSize) {
        const auto prefetch_distance = [&](std::size_t bytes) {
            return x_prefetch_distance(longest_columns(), a_.cols, bytes, last_level_cache_bytes());
        };
        a_.csr.prefetch_distance = prefetch_distance(sizeof(V));
        columns_prefetch_distance_ = prefetch_distance(8 * sizeof(V));  // a row of 8 columns
        this->set_executed([this] { return count_executed(); });
    }

    [[nodiscard]] std::vector<ExecutedPart> count_executed() const {
        if (a_.tiles) return executed_tiles(*a_.tiles);
        const auto row_ptrs = std::get<std::span<const offset_t>>(a_.csr.row_ptrs);
        offset_t tile_rows = 0;
        for (const auto range : a_.ranges) tile_rows += occupied_tile_rows(row_ptrs, range.first, range.end);
        const std::size_t strip_bytes = a_.strips.bytes();
        ExecutedParts parts;
        parts.add({{"strip", "", a_.strips.occupied(), a_.strips.nnz, strip_bytes},
                   {"csr", "", tile_rows, a_.nnz - a_.strips.nnz, a_.bytes - strip_bytes}},
                  0);
        return parts.finish();
    }

    void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
        multiply_each(alpha, x, beta, y, piece_sums_.data());
    }

    void multiply_block(V alpha, const Block<const V>& x, V beta, const Block<V>& y) const override {
        if (is_csr()) {
            CsrRows<V> rows = a_.csr;
            rows.prefetch_distance = columns_prefetch_distance_;
            return CsrColumns<V>(rows, schedule_, simd_, x_copies_).multiply(alpha, x, beta, y);
        }
        if (!x.has_columns() || !y.has_columns()) return HostOperator<V>::multiply_block(alpha, x, beta, y);
        Buffer<double> piece_sums(piece_sums_.size() * static_cast<std::size_t>(x.cols));
        multiply_each(alpha, x, beta, y, piece_sums.data());
    }

    void replace_values(std::span<const V> values) override {
        if (a_.tiles != nullptr) return replace_tiles(values);
        if (values.data() != a_.csr.values.data()) {
            if (own_values_.size() != values.size()) own_values_ = Buffer<V>(values.size());
            std::ranges::copy(values, own_values_.begin());
            a_.csr.values = view(own_values_);
        }
        cpu::replace_values<V>(a_.strips, std::get<std::span<const offset_t>>(a_.csr.row_ptrs), values);
    }

private:
    [[nodiscard]] bool is_csr() const { return a_.tiles == nullptr && a_.strips.tile_rows.empty(); }

    /// One column after the other with each piece, strip and chunk of the matrix, which is in the cache then.
    void multiply_each(V alpha, const Block<const V>& x, V beta, const Block<V>& y, double* piece_sums) const {
        const auto& s = schedule_;
#pragma omp parallel if (s.bytes * x.cols >= kTuning.parallel_bytes)
        {
#pragma omp for schedule(dynamic, 1) nowait
            for (std::size_t i = 0; i < s.pieces.size(); ++i) {
                for (int c = 0; c < x.cols; ++c) add_piece(i, x.column(c).data, sums_of(piece_sums, c));
            }
#pragma omp for schedule(dynamic, 1) nowait
            for (std::size_t i = 0; i < a_.strips.chunks.size(); ++i) {
                for (int c = 0; c < x.cols; ++c) {
                    simd_.multiply_strips(a_.strips, a_.strips.chunks[i], alpha, x.column(c).data, beta,
                                          y.column(c).data);
                }
            }
#pragma omp for schedule(dynamic, 1)
            for (std::size_t i = 0; i < s.chunks.size(); ++i) {
                for (int c = 0; c < x.cols; ++c) {
                    run_chunk(s.chunks[i], alpha, x.column(c).data, beta, y.column(c).data);
                }
            }
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < s.heavy.size(); ++i) {
                for (int c = 0; c < x.cols; ++c) {
                    finish_heavy(s.heavy[i], alpha, beta, y.column(c).data, sums_of(piece_sums, c));
                }
            }
        }
    }

    [[nodiscard]] double* sums_of(double* piece_sums, int c) const {
        return piece_sums + static_cast<std::size_t>(c) * piece_sums_.size();
    }

    /// Tiles are the source's: values are put into copies.
    void replace_tiles(std::span<const V> values) {
        if (!own_tiles_) {
            map_.emplace(a_.source.csr(), *a_.tiles);
            a_.tiles = &own_tiles_.emplace(with_own_values(*a_.tiles));
            a_.csr.values = view(own_tiles_->deferred.values);
        }
        map_->update(*own_tiles_, values);
    }

    /// Columns that stand for those of all CSR rows: beside strips those of the range of most nonzeros.
    [[nodiscard]] std::span<const index_t> longest_columns() const {
        if (a_.strips.tile_rows.empty()) return a_.csr.col_idxs;
        std::span<const index_t> longest;
        for (const auto range : a_.ranges) {
            const auto first = static_cast<std::size_t>(a_.csr.begin(range.first));
            const std::size_t nonzeros = static_cast<std::size_t>(a_.csr.begin(range.end)) - first;
            if (nonzeros > longest.size()) longest = a_.csr.col_idxs.subspan(first, nonzeros);
        }
        return longest;
    }

    void run_chunk(const Chunk& c, V alpha, const V* x, V beta, V* y) const {
        std::array<double, Schedule::kMaxRows> sums;
        std::fill_n(sums.begin(), c.rows, 0.0);
        if (c.tile_rows.begin < c.tile_rows.end) simd_.add_tile_rows(*a_.tiles, c.tile_rows, c.row, x, sums.data());
        if (c.csr_rows.begin < c.csr_rows.end) {
            const Span nonzeros{a_.csr.begin(c.csr_rows.begin), a_.csr.begin(c.csr_rows.end)};
            simd_.add_csr(a_.csr, c.csr_rows, nonzeros, c.row, x, sums.data());
        }
        finish<V>(sums.data(), c.rows, alpha, beta, y + c.row);
    }

    void add_piece(std::size_t i, const V* x, double* piece_sums) const {
        const Piece& piece = schedule_.pieces[i];
        const Chunk& c = schedule_.heavy[piece.heavy].chunk;
        double* sums = piece_sums + i * kTileSize;
        std::fill_n(sums, kTileSize, 0.0);
        if (piece.tiles.begin < piece.tiles.end) simd_.add_tiles(*a_.tiles, piece, c.rows, x, sums);
        if (piece.nonzeros.begin < piece.nonzeros.end) {
            simd_.add_csr(a_.csr, c.csr_rows, piece.nonzeros, c.row, x, sums);
        }
    }

    void finish_heavy(const HeavyChunk& heavy, V alpha, V beta, V* y, const double* piece_sums) const {
        std::array<double, kTileSize> sums{};
        for (offset_t p = heavy.pieces.begin; p < heavy.pieces.end; ++p) {
            for (int r = 0; r < kTileSize; ++r) sums[r] += piece_sums[p * kTileSize + r];
        }
        finish<V>(sums.data(), heavy.chunk.rows, alpha, beta, y + heavy.chunk.row);
    }

    Parts a_;
    offset_t columns_prefetch_distance_ = 0;  // of products of several columns
    Schedule schedule_;
    const SimdKernels<V>& simd_;
    Buffer<V> own_values_;                    // of CSR rows, where new ones are not those of the source
    std::optional<TileMatrix<V>> own_tiles_;  // with new values
    std::optional<ValueMap> map_;             // of tiles, made when there are new values first
    mutable Buffer<double> piece_sums_;       // 16 per piece
    mutable XCopies<V> x_copies_;             // of blocks in column-major layout
};

}  // namespace tilespmv::cpu
