#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "selector/auto/features_of.hpp"
#include "selector/auto/pattern_reader.hpp"
#include "tile/types.hpp"

/// The sample of a matrix that its features come from. Every part of it first lists what is to be read, of row pointers
/// by the sizes of the matrix alone (`MatrixFeatures`), then gets what these ranges hold, in their order.
namespace tilespmv {

inline constexpr offset_t kLeastNonzeros = 8192;  ///< of the sample, if the matrix has so many
inline constexpr offset_t kSampledPart = 32;      ///< of larger matrices one in so many
inline constexpr offset_t kMostSlots = 1024;      ///< of a tile row; what follows is taken to be alike

inline offset_t sampled_nonzeros(offset_t nnz) {
    return std::clamp(nnz / kSampledPart, kLeastNonzeros, kMostSamples * kBlock);
}
inline offset_t tile_rows_of(const MatrixFeatures& f) { return div_up(offset_t{f.rows}, offset_t{kTileSize}); }

/// The first columns of a row that begins at ptrs[row], as many as are looked at.
inline ElementRange beginning_of(RowPtrSpan ptrs, std::size_t row) {
    return {ptrs[row], std::min(ptrs[row + 1] - ptrs[row], kMostSlots)};
}

CountedSample counted_sample(const MatrixFeatures& f);
/// `PatternReader::count` of a matrix on the host.
SampleCounts count(const CountedSample& sample, RowPtrSpan row_ptrs, ColumnSpan col_idxs);

/// A tile row and the row before it, as far as they are read.
struct SampledStrip {
    index_t first_row = 0;
    RowPtrSpan ptrs{};                      ///< of its rows
    RowPtrSpan before{};                    ///< of the row before; empty if there is none
    ColumnSpan columns_before{};            ///< the first ones of that row
    std::span<const ColumnSpan> columns{};  ///< of all rows as one range, or the first ones of each

    [[nodiscard]] std::size_t rows() const { return ptrs.size() - 1; }
    [[nodiscard]] offset_t nonzeros() const { return ptrs.back() - ptrs.front(); }
    [[nodiscard]] bool is_short() const { return nonzeros() <= kTileSize * kMostSlots; }
    [[nodiscard]] ColumnSpan beginning_of(std::size_t row) const;
};

/// Tile rows.
class StripSample {
public:
    explicit StripSample(const MatrixFeatures& f);
    [[nodiscard]] ElementRanges row_ptrs() const;
    /// Keeps these row pointers, and lists the columns that are to be read.
    ElementRanges take(std::span<const RowPtrSpan> row_ptrs);
    /// Adds what the columns say: slots, patterns and tiles, and rows of an inode.
    void add_to(std::span<const ColumnSpan> columns, MatrixFeatures& f);

private:
    index_t rows_;
    std::vector<SampledStrip> strips_;
};

/// Rows, one of each tile row of a sample, and their diagonals; those of all nonzeros where DIA may pay.
ElementRanges sampled_diagonal_rows(const MatrixFeatures& f);
ElementRanges columns_of_rows(std::span<const RowPtrSpan> rows);
void add_diagonals(std::span<const ColumnSpan> columns, PatternReader& reader, MatrixFeatures& f);
/// `PatternReader::count_diagonals` of a matrix on the host.
offset_t count_diagonals(const PatternView& a, const std::vector<offset_t>& known);

}  // namespace tilespmv
