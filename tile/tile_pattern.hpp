#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "tile/types.hpp"

namespace tilespmv {

/// Which row each row of a tile looks like, kept as the byte shuffle that makes their masks.
class RowLikeness {
public:
    RowLikeness() { reset(); }
    /// Every row is like itself.
    void reset() {
        for (int r = 0; r < kTileSize; ++r) set(r, r);
    }
    /// Row `row` is like row `like` of the masks that are given.
    void set(int row, int like) {
        for (std::size_t b = 0; b < 2; ++b) {
            const std::size_t at = 2 * static_cast<std::size_t>(row % kHalf) + b;
            const auto half = static_cast<std::size_t>(row / kHalf);
            const auto source = static_cast<std::size_t>(like / kHalf);
            bytes_[half][source][at] = static_cast<std::uint8_t>(2 * static_cast<std::size_t>(like % kHalf) + b);
            bytes_[half][1 - source][at] = kNone;
        }
    }
    /// For each byte of a half of the masks, which byte of the other given half it is; kNone if it is of neither.
    [[nodiscard]] const std::uint8_t* bytes(int half, int source) const {
        return bytes_[static_cast<std::size_t>(half)][static_cast<std::size_t>(source)].data();
    }
    static constexpr int kHalf = kTileSize / 2;  // rows, whose masks are a vector of 16 bytes
    static constexpr std::uint8_t kNone = 0x80;

private:
    std::array<std::array<std::array<std::uint8_t, 16>, 2>, 2> bytes_;
};

/// Which positions of one tile hold nonzeros, and the counts that formats and selectors decide by.
/// A tile at the right or bottom edge has fewer than 16 columns or rows.
struct TilePattern {
    int rows = kTileSize;
    int cols = kTileSize;
    std::array<std::uint16_t, kTileSize> row_masks{};  ///< bit c of entry r: (r, c) is a nonzero

    // Derived from the masks by `count()`.
    int nnz = 0;
    int longest_row = 0;                               ///< nonzeros of the row with the most
    std::array<std::uint8_t, kTileSize> row_counts{};  ///< nonzeros of each row

    /// Recomputes the derived members after the masks were written.
    void count();
    /// Takes the masks of rows from those that they are like, and counts them.
    void assign(const std::array<std::uint16_t, kTileSize>& masks, const RowLikeness& like);

    /// Calls f(row) for the rows that hold nonzeros, in ascending order; eight rows are looked at together, since most
    /// tiles of scattered matrices hold a single nonzero.
    template <class F>
    void for_each_row(F&& f) const {
        const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(row_counts);
        for (int half = 0; half < 2; ++half) {
            for (std::uint64_t word = words[half]; word != 0;) {
                const int byte = std::countr_zero(word) / 8;
                f(8 * half + byte);
                word &= ~(std::uint64_t{0xff} << (8 * byte));
            }
        }
    }

    /// The first and the last row that hold nonzeros, of which there must be one. Counted patterns only.
    [[nodiscard]] int first_row() const {
        const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(row_counts);
        return (words[0] != 0 ? std::countr_zero(words[0]) : 64 + std::countr_zero(words[1])) / 8;
    }
    [[nodiscard]] int last_row() const {
        const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(row_counts);
        return (words[1] != 0 ? 127 - std::countl_zero(words[1]) : 63 - std::countl_zero(words[0])) / 8;
    }

    /// The tile with only the first `n` nonzeros of each row, counted.
    [[nodiscard]] TilePattern first_of_rows(int n) const;

    /// The mask of a full row.
    [[nodiscard]] std::uint16_t full_row() const { return static_cast<std::uint16_t>((1u << cols) - 1u); }
    /// Whether every row is empty or full.
    [[nodiscard]] bool only_full_rows() const;
    /// Whether every column is empty or full, so that all rows have the same columns.
    [[nodiscard]] bool only_full_cols() const;
};

/// Calls f(column) for the set bits of a row mask, in ascending order.
template <class F>
void for_each_bit(std::uint16_t mask, F&& f) {
    for (unsigned m = mask; m != 0; m &= m - 1) f(std::countr_zero(m));
}

namespace formats {

/// What a tile takes in a format.
struct TileSize {
    int values = 0;       ///< values stored, padding included; 1 to 256
    int index_bytes = 0;  ///< 0 to 511
    int parameter = 0;    ///< a number of the format's own, kept in the tile's entry; 0 to 127

    [[nodiscard]] int bytes(int value_bytes) const { return values * value_bytes + index_bytes; }
};

}  // namespace formats

}  // namespace tilespmv
