#pragma once

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

/// The sectors of x, the least that a GPU reads of it, in numbers below `count`: where there are more they share some,
/// which few notice.
struct SectorsOfX {
    int log_size = 0;  ///< of a sector in elements of x
    std::uint32_t count = 1;

    [[nodiscard]] TILESPMV_HD constexpr std::uint32_t of(index_t column) const {
        const auto sector = static_cast<std::uint32_t>(column >> log_size);
        return sector < count ? sector : static_cast<std::uint32_t>(mixed(sector) % count);
    }
};

inline constexpr offset_t kBlock = 512;  ///< nonzeros
/// Blocks, and tile rows. With 256 of them, 1 of 532 choices on 133 matrices was another one, of a time that differs by
/// 1%.
inline constexpr offset_t kMostSamples = 96;

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
    /// How many sectors the columns of each of these ranges meet, at most `kMostSamples` of at most `kBlock` nonzeros:
    /// set when `read` has returned next, and there as long as what that returns.
    virtual std::span<const std::uint32_t> count_sectors(const ElementRanges& blocks, const SectorsOfX& sectors) = 0;
    /// Of all rows. Throws `Error` if row pointers are wrong, and so does `read` before it returns any.
    virtual const RowStatistics& row_statistics() = 0;
    /// How many diagonals have nonzeros. `known`: some of them, ascending.
    virtual offset_t count_diagonals(const std::vector<offset_t>& known) = 0;
};

}  // namespace tilespmv
