#pragma once

#include <cstdint>
#include <vector>

#include "kernels/operators/strip/strip.hpp"

namespace tilespmv::cuda {

/// Code of a place without a nonzero.
inline constexpr std::uint16_t kRankHole = 0xffff;

/// Tile rows as strips whose slots are filled by rank: slot k has the k-th nonzero of each of the 16 rows, so that only
/// rows shorter than the longest leave holes, behind their last nonzero. A code has 16 bits, a column relative to the
/// smallest one of the strip. For even rows whose columns have little in common. Made from CSR alone; in the memory of
/// the host.
struct RankStrips {
    Buffer<StripRun> runs;            ///< each strip with columns of its own
    Buffer<std::uint32_t> tile_rows;  ///< of the strips
    Buffer<std::int32_t> bases;       ///< smallest column of each strip
    Buffer<std::uint16_t> codes;      ///< kQuad * kTileSize a quad, those of a row side by side
    std::vector<RowRange> rest;       ///< of the rows that were given, ascending, of whole tile rows
    std::int64_t slots = 0;           ///< of all strips; values stand as in `Strips`
    offset_t nonzeros = 0;

    /// Bytes that a product reads, x and y apart.
    [[nodiscard]] std::size_t bytes(std::size_t value_bytes) const;
};

/// Of the tile rows in `rows`, ranges that ascend, 1,024 at a time those that take at most `limits.most_rank_bytes`
/// times the bytes of CSR with 16-bit columns; without tile rows whose columns span 65,535 or more, and those of too
/// many slots. Throws `Error` if there are 2^32 slots or more.
template <Value V>
RankStrips make_rank_strips(const CsrMatrix<V>& a, const std::vector<RowRange>& rows, const StripLimits& limits);

}  // namespace tilespmv::cuda
