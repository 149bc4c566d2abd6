#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/split_row.hpp"
#include "selector/csr_shapes.hpp"
#include "tile/csr.hpp"

namespace tilespmv::cuda {

inline constexpr int kSliceLanes = 32;

/// Rows that a warp multiplies side by side, in `steps` steps of a nonzero for each lane. A row has `lanes`, 1, 2, 4,
/// ... or kSliceLanes, neighbouring lanes: in step k the i-th of them has nonzero k * lanes + i of the row, if there is
/// one.
struct alignas(16) SellSlice {
    std::uint64_t first_step = 0;  ///< steps of the slices before
    std::uint32_t first_row = 0;   ///< of its rows in `SellPlan::rows`
    std::uint16_t steps = 0;
    std::uint8_t lanes_log2 = 0;
    std::uint8_t rows = 0;  ///< at most kSliceLanes / lanes; of a piece the pieces of its row, at most 255

    [[nodiscard]] TILESPMV_HD constexpr int lanes() const { return 1 << lanes_log2; }
    friend bool operator==(const SellSlice&, const SellSlice&) = default;
};

/// Sliced ELL of rows that are sorted by their lengths: SELL-C-sigma (Kreutzer et al., "A unified sparse matrix data
/// format for efficient general sparse matrix-vector multiplication on modern processors with wide SIMD units", SIAM
/// J. Sci. Comput. 36(5), 2014) with slices of 32 lanes and all rows sorted together, and beyond it with 1 to 32 lanes
/// for a row, as few as make at most `most_steps` steps. A row too long for 32 lanes is split into even pieces, which
/// are slices of their own, the first ones: 2, 4, 8, ... up to as many as a block of threads has warps, or if that is
/// not enough, whole blocks of pieces of at most 2 * `most_steps` steps. Rows of more pieces come first, so that no row
/// begins within a block and ends in the next one. The others follow by descending rounds of loads, then in the order
/// of their first rows, so that warps that run side by side read the same x and take as long; if they do not fill the
/// last block that has pieces, slices without steps do. Rows of as many steps and lanes keep their order. Step k of a
/// slice has its nonzeros in places 32 * (first_step + k) + lane. All but columns and values; in the memory of the
/// host.
struct SellPlan {
    std::vector<SellSlice> slices;
    Buffer<std::uint32_t> rows;           ///< of the slices, one after the other; of a piece its row
    std::vector<SplitRow> splits;         ///< rows in pieces; the partial sum of slice i is the i-th
    std::vector<std::uint32_t> split_of;  ///< of each piece, in `splits`
    Buffer<std::uint32_t> empty;          ///< bit r % 32 of word r / 32: row r has no nonzeros; empty if all have some
    std::uint64_t steps = 0;              ///< of all slices

    [[nodiscard]] std::size_t pieces() const { return split_of.size(); }
    [[nodiscard]] std::uint64_t places() const { return steps * kSliceLanes; }
};

/// Nonzeros of a row, by their positions in CSR.
struct NonzeroRange {
    offset_t first = 0;
    offset_t count = 0;
};

/// The i-th of the pieces of a row.
TILESPMV_HD constexpr NonzeroRange piece_of(const NonzeroRange& row, offset_t i, offset_t pieces) {
    const offset_t first = row.count * i / pieces;
    return {row.first + first, row.count * (i + 1) / pieces - first};
}

/// How rows are divided into slices.
struct SliceLimits {
    int most_steps = 0;   ///< 1 to 1024
    int flight = 0;       ///< steps of a round of loads, 1 or more
    int block_warps = 0;  ///< of a block of threads: 2, 4, 8, ...
};

/// Which rows share slices: those of as many lanes and steps are of a kind. Kinds are numbered in the order of their
/// slices; empty rows and those that are cut are of kinds of their own, the last ones, which make none.
struct SliceKinds {
    static constexpr int kWidths = std::bit_width(unsigned{kSliceLanes});  ///< 1, 2, 4, ... lanes
    int most_steps = 0;
    int block_warps = 0;

    [[nodiscard]] TILESPMV_HD constexpr int empty() const { return most_steps * kWidths; }
    [[nodiscard]] TILESPMV_HD constexpr int cut() const { return empty() + 1; }
    [[nodiscard]] TILESPMV_HD constexpr int all() const { return empty() + 2; }
    /// Nonzeros of a row that is not cut.
    [[nodiscard]] TILESPMV_HD constexpr offset_t longest() const { return offset_t{most_steps} * kSliceLanes; }
    [[nodiscard]] TILESPMV_HD constexpr int of(offset_t length) const {
        if (length == 0) return empty();
        if (length > longest()) return cut();
        const offset_t lanes = sell_lanes(length, most_steps, block_warps);
        const auto steps = static_cast<int>(div_up(length, lanes));
        int log2 = 0;
        while (lanes >> log2 > 1) ++log2;
        return (most_steps - steps) * kWidths + kWidths - 1 - log2;
    }
    [[nodiscard]] TILESPMV_HD constexpr int lanes_log2(int kind) const { return kWidths - 1 - kind % kWidths; }
    [[nodiscard]] TILESPMV_HD constexpr int steps(int kind) const { return most_steps - kind / kWidths; }
};

/// A row that is cut.
struct LongRow {
    offset_t row = 0;
    NonzeroRange nonzeros;
};

/// Cuts long rows: adds their pieces, splits and slices to the plan, and returns the row of each piece. Throws `Error`
/// for 2^31 pieces or more.
std::vector<std::uint32_t> cut_long_rows(std::span<const LongRow> rows, const SliceLimits& limits, SellPlan& plan);

/// Slices of no steps behind the last of `slices`, so that all warps that share a block with pieces have one.
std::size_t padding_slices(std::size_t slices, std::size_t pieces, const SliceLimits& limits);

}  // namespace tilespmv::cuda
