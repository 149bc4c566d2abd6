#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "selector/auto/matrix_features.hpp"
#include "tile/types.hpp"

/// The sample of a matrix that its features come from.
namespace tilespmv {

inline constexpr offset_t kBlock = 512;  ///< nonzeros
/// Blocks, and tile rows. With 256 of them, 1 of 532 choices on 133 matrices was another one, of a time that differs by
/// 1%.
inline constexpr offset_t kMostSamples = 96;
inline constexpr offset_t kLeastNonzeros = 8192;  ///< of the sample, if the matrix has so many
inline constexpr offset_t kSampledPart = 32;      ///< of larger matrices one in so many
inline constexpr offset_t kMostSlots = 1024;      ///< of a tile row; what follows is taken to be alike

inline std::uint64_t mixed(std::uint64_t bits) {
    bits *= 0x9e3779b97f4a7c15;
    return bits ^ (bits >> 32);
}

/// A place in the i-th of `samples` even parts of [0, size), the same at every call: where in its part differs from
/// part to part, since at even distances a sample of a grid would be all of one line of its boundary.
inline offset_t spread(offset_t i, offset_t samples, offset_t size) {
    const double within = static_cast<double>(mixed(static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53;
    const double part = static_cast<double>(size) / static_cast<double>(samples);
    return std::min(static_cast<offset_t>((static_cast<double>(i) + within) * part), size - 1);
}

inline offset_t sampled_nonzeros(offset_t nnz) {
    return std::clamp(nnz / kSampledPart, kLeastNonzeros, kMostSamples * kBlock);
}

/// The columns of blocks of the sample.
ColumnRanges sampled_blocks(const PatternView& a);
/// What they say of sectors of x.
void add_sectors(const PatternView& a, const ColumnRanges& blocks, MatrixFeatures& f);
/// A tile row.
struct SampledStrip {
    offset_t nonzeros = 0;
    offset_t taken = 0;  ///< in slots
    offset_t slots = 0;
    offset_t tiles = 0;
    std::uint64_t pattern = 0;

    void add(const SampledStrip& other);
};
/// The tile rows of the sample, to be counted in parts.
class StripSample {
public:
    explicit StripSample(const PatternView& a);
    [[nodiscard]] std::int64_t size() const { return std::ssize(strips_); }
    /// Of [first, end).
    void count(std::int64_t first, std::int64_t end);
    /// What they say: slots, patterns and tiles.
    void add_to(MatrixFeatures& f);
    [[nodiscard]] index_t first_row(std::int64_t i) const;

private:
    PatternView a_;
    std::vector<SampledStrip> strips_;
};
/// Rows of an inode, of the same tile rows.
void add_inodes(const PatternView& a, MatrixFeatures& f);
/// Diagonals of the sample, and of all nonzeros where DIA may pay.
void add_diagonals(const PatternView& a, MatrixFeatures& f);

/// Row pointers of a matrix.
using RowPtrRanges = std::vector<std::span<const offset_t>>;
/// Those of rows [first, end), as far as there are such rows.
inline std::span<const offset_t> row_ptrs_of(const PatternView& a, offset_t first, offset_t end) {
    first = std::clamp<offset_t>(first, 0, a.rows);
    end = std::clamp<offset_t>(end, first, a.rows);
    return a.row_ptrs.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first) + 1);
}
/// The row pointers that these read, added to `ptrs`.
void list_strip_rows(const PatternView& a, RowPtrRanges& ptrs);  ///< and those of inodes
void list_diagonal_rows(const PatternView& a, RowPtrRanges& ptrs);

/// What these read of the columns, added to `columns`: blocks apart, which `sampled_blocks` has.
void list_strips(const PatternView& a, ColumnRanges& columns);  ///< and inodes
void list_diagonals(const PatternView& a, ColumnRanges& columns);

}  // namespace tilespmv
