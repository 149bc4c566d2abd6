#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tile/csr.hpp"

namespace tilespmv {

/// Columns minus rows of the diagonals of a group, ascending; 0 behind the last diagonal of all.
struct alignas(16) DiaOffsets {
    std::array<index_t, 8> of{};

    friend bool operator==(const DiaOffsets&, const DiaOffsets&) = default;
};

/// Where the places of a matrix in DIA lie: of some rows those of all diagonals together, at fixed distances.
struct DiaLayout {
    static constexpr int kGroup = 8;   ///< diagonals whose bits stand together, of so many rows
    static constexpr int kRows = 256;  ///< of a block, whose places lie together; the last one has as many

    offset_t diagonals = 0;

    [[nodiscard]] constexpr offset_t groups() const { return (diagonals + kGroup - 1) / kGroup; }
    /// Of a diagonal: diagonal by diagonal in a block, the blocks one after the other.
    [[nodiscard]] constexpr offset_t value_at(offset_t diagonal, std::int64_t row) const {
        return (row / kRows * diagonals + diagonal) * kRows + row % kRows;
    }
    /// Of all rows and diagonals, those behind the last row of the last block included.
    [[nodiscard]] constexpr std::size_t places_of(index_t rows) const {
        return static_cast<std::size_t>((std::int64_t{rows} + kRows - 1) / kRows * kRows * diagonals);
    }
    /// Of all rows and groups.
    [[nodiscard]] constexpr std::size_t held_words(index_t rows) const {
        return static_cast<std::size_t>((std::int64_t{rows} + kRows - 1) / kRows * kRows / 8 * groups());
    }
    /// The bits of 8 rows of a group: group by group in a block.
    [[nodiscard]] constexpr offset_t held_at(offset_t group, std::int64_t row) const {
        return ((row / kRows * groups() + group) * kRows + row % kRows) / 8;
    }
};

/// Which places of a matrix in DIA hold a nonzero.
struct DiaPattern : DiaLayout {
    index_t rows = 0;
    index_t cols = 0;
    Buffer<DiaOffsets> offsets;  ///< one a group
    /// Bit 8 * i + j of those of rows 8 * r to 8 * r + 7 is set where row 8 * r + j has a nonzero on diagonal i of the
    /// group.
    Buffer<std::uint64_t> held;

    [[nodiscard]] std::size_t places() const { return places_of(rows); }
};

/// A matrix in DIA: of every diagonal with a nonzero a place for each row (Bell and Garland, "Implementing sparse
/// matrix-vector multiplication on throughput-oriented processors", SC 2009). Unlike the published one it has a bit for
/// each place, which tells a nonzero that is 0 from a place without one, and its rows are in blocks.
template <Value V>
struct Dia : DiaPattern {
    Buffer<V> values;  ///< 0 where nothing is held

    /// Bytes that a product reads, x and y apart.
    [[nodiscard]] std::uint64_t bytes() const { return offsets.bytes() + held.bytes() + values.bytes(); }
};

/// Bytes of `a` in DIA, without making it.
template <Value V>
std::uint64_t dia_bytes(const CsrMatrix<V>& a);

/// Bytes up to which DIA is not refused; see `refuse_if_large`.
inline constexpr std::uint64_t kDiaAlwaysFine = std::uint64_t{1} << 25;

/// The diagonals with nonzeros, columns minus rows, ascending.
template <Value V>
std::vector<index_t> dia_offsets(const CsrMatrix<V>& a);

/// Offsets in groups, as `DiaPattern` has them.
Buffer<DiaOffsets> grouped(const std::vector<index_t>& offsets);

/// Throws `Refusal` if DIA with so many diagonals is refused for `a`.
template <Value V>
void refuse_dia_if_large(const CsrMatrix<V>& a, DiaLayout layout);

/// Where `a` has nonzeros in DIA; in parallel. `offsets`: its `dia_offsets`. Throws `Refusal` before anything is made
/// if DIA is refused.
template <Value V>
DiaPattern make_dia_pattern(const CsrMatrix<V>& a, const std::vector<index_t>& offsets);

/// `a` in DIA; in parallel. Throws as `make_dia_pattern` does.
template <Value V>
Dia<V> make_dia(const CsrMatrix<V>& a);

/// Other values of `a`, from whose pattern the DIA form was made; allocates nothing.
template <Value V>
void put_values(const CsrMatrix<V>& a, Dia<V>& dia);

}  // namespace tilespmv
