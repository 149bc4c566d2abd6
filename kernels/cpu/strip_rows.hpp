#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cpu/schedule.hpp"
#include "kernels/operators/strip/strip.hpp"

namespace tilespmv::cpu {

/// What the codes of a slot say.
enum class SlotKind : std::uint16_t {
    columns,   ///< 4 bits a row: its column from the base on
    diagonal,  ///< the same, that of row r is r, so that x is in line; the base may then be no column
    quads,  ///< 16 bits for four rows: a first column from the base on, in the high byte, and 2 bits a row from there
};

/// The columns of a slot, for a lane a row.
struct StripSlot {
    std::uint64_t codes = 0;
    std::int32_t base = 0;   ///< relative to the first row of the strip
    std::uint16_t rows = 0;  ///< a bit a row: whether it has a nonzero
    SlotKind kind = SlotKind::columns;

    friend bool operator==(const StripSlot&, const StripSlot&) = default;
};
static_assert(sizeof(StripSlot) == 16);

/// Of each 8 bits the numbers of 2 bits, or in their place those of so many parts of what they number.
template <int kParts>
inline constexpr auto kQuadNumbers = [] {
    std::array<std::array<std::int32_t, 4 * kParts>, 256> numbers{};
    for (int code = 0; code < 256; ++code) {
        for (int i = 0; i < 4 * kParts; ++i) numbers[code][i] = (code >> (2 * (i / kParts)) & 3) * kParts + i % kParts;
    }
    return numbers;
}();

/// Strips of as many slots, whose values stand one after the other.
struct StripGroup {
    std::uint32_t first_strip = 0;  ///< position in `StripRows::tile_rows`
    std::uint32_t strips = 0;
    std::uint32_t first_slot = 0;    ///< of their values
    std::uint32_t first_column = 0;  ///< position in `StripRows::columns`
    std::uint32_t slots = 0;         ///< of each strip
    std::uint32_t own_columns = 0;   ///< slots from the columns of a strip to those of the next: 0 if they share them
};

/// Rows of a matrix as strips (`Strips`), laid out for vectors of the CPU: the values of a slot's 16 rows stand
/// side by side.
template <Value V>
struct StripRows {
    index_t rows = 0;  ///< of the matrix
    index_t cols = 0;
    offset_t nnz = 0;  ///< in strips
    std::vector<StripGroup> groups;
    std::vector<Span> chunks;         ///< of groups: what a thread takes at a time
    Buffer<std::uint32_t> tile_rows;  ///< of the strips
    Buffer<StripSlot> columns;
    Buffer<V> values;

    /// Bytes that a product reads, x and y apart.
    [[nodiscard]] std::size_t bytes() const {
        return groups.size() * sizeof(StripGroup) + tile_rows.bytes() + columns.bytes() + values.bytes();
    }
    /// Tile rows with nonzeros among them.
    [[nodiscard]] offset_t occupied() const {
        offset_t strips = 0;
        for (const StripGroup& group : groups) strips += group.slots > 0 ? group.strips : 0;
        return strips;
    }
};

/// `s`: the strips of `a`. `lanes`: doubles of the vectors that are to multiply it; those of 4 look x up in quads where
/// they can.
template <Value V>
StripRows<V> make_strip_rows(const CsrMatrix<V>& a, const Strips& s, int lanes);

/// Other values, in the order of the CSR matrix with these row pointers that the strips were made from.
template <Value V>
void replace_values(StripRows<V>& strips, std::span<const offset_t> row_ptrs, std::span<const V> values);

}  // namespace tilespmv::cpu
