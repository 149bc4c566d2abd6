#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "selector/csr_shapes.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// Elements [first, first + size) of an array.
struct ElementRange {
    offset_t first = 0;
    offset_t size = 0;
};
using ElementRanges = std::vector<ElementRange>;
using RowPtrSpan = std::span<const offset_t>;
using ColumnSpan = std::span<const index_t>;

TILESPMV_HD constexpr std::uint64_t mixed(std::uint64_t bits) {
    bits *= 0x9e3779b97f4a7c15;
    return bits ^ (bits >> 32);
}

/// A place in the i-th of `samples` even parts of [0, size), the same at every call: where in its part differs from
/// part to part, since at even distances a sample of a grid would be all of one line of its boundary.
TILESPMV_HD constexpr offset_t spread(offset_t i, offset_t samples, offset_t size) {
    const double within = static_cast<double>(mixed(static_cast<std::uint64_t>(i)) >> 11) * 0x1p-53;
    const double part = static_cast<double>(size) / static_cast<double>(samples);
    const auto at = static_cast<offset_t>((static_cast<double>(i) + within) * part);
    return at < size ? at : size - 1;
}

inline constexpr offset_t kBlock = 512;       ///< nonzeros
inline constexpr offset_t kRowLengths = 512;  ///< rows whose lengths tell the width of HYB
/// Blocks, and tile rows. With 256 of them, 1 of 532 choices on 133 matrices was another one, of a time that differs by
/// 1%.
inline constexpr offset_t kMostSamples = 96;

/// What is counted of a sample, where the matrix is: the sectors of x, the least that a GPU reads of it, that each of
/// some blocks of nonzeros meets, and the lengths of some rows.
struct CountedSample {
    index_t rows = 0;
    offset_t nnz = 0;
    offset_t blocks = 0;   ///< up to kMostSamples
    offset_t lengths = 0;  ///< up to kRowLengths
    int log_sector = 0;    ///< of the elements of x in a sector
    /// Sectors have numbers below this one: where there are more they share some, which few notice.
    std::uint32_t sectors = 1;

    [[nodiscard]] TILESPMV_HD constexpr ElementRange block(offset_t i) const {
        const offset_t first = spread(i, blocks, div_up(nnz, kBlock)) * kBlock;
        return {first, nnz - first < kBlock ? nnz - first : kBlock};
    }
    [[nodiscard]] TILESPMV_HD constexpr offset_t row(offset_t i) const { return spread(i, lengths, rows); }
    [[nodiscard]] TILESPMV_HD constexpr std::uint32_t sector(index_t column) const {
        const auto number = static_cast<std::uint32_t>(column >> log_sector);
        return number < sectors ? number : static_cast<std::uint32_t>(mixed(number) % sectors);
    }
};
struct SampleCounts {
    std::array<offset_t, kRowLengths> lengths;
    std::array<std::uint32_t, kMostSamples> sectors;  ///< of each block
};

/// The pattern of a CSR matrix, wherever it is, for those who look at a sample of it. Its owner calls it by one thread
/// at a time.
class PatternReader {
public:
    /// What ranges hold, in the order of these.
    struct Found {
        std::vector<RowPtrSpan> row_ptrs;
        std::vector<ColumnSpan> columns;
    };

    virtual ~PatternReader() = default;
    /// Reads ranges of the row pointers and of the columns; what it returns stays as long as the reader. Where the
    /// matrix is in device memory each call is waited for.
    virtual Found read(const ElementRanges& row_ptrs, const ElementRanges& columns) = 0;
    /// Counts; what it returns is set when `read` has returned next, and stays as long as the reader.
    virtual const SampleCounts& count(const CountedSample& sample) = 0;
    /// Of all rows. Throws `Error` if row pointers are wrong, and so does `read` before it returns any.
    virtual const RowStatistics& row_statistics() = 0;
    /// How many diagonals have nonzeros. `known`: some of them, ascending.
    virtual offset_t count_diagonals(const std::vector<offset_t>& known) = 0;
};

}  // namespace tilespmv
