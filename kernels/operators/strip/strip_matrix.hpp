#pragma once

#include <cstdint>
#include <vector>

#include "kernels/row_range.hpp"
#include "tile/csr.hpp"
#include "tile/sizes.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// Slots whose columns are loaded at a time.
inline constexpr int kQuad = 4;
/// Pairs of rows of a strip.
inline constexpr int kRowPairs = kTileSize / 2;

/// The place of slot `k` in row `r` among the values of a strip of `slots` slots: in whole quads the values of a row
/// stand `together` by `together` (1, 2 or 4) side by side, behind them slot by slot.
constexpr int strip_place(int k, int r, int slots, int together) {
    const int wide = k < slots / kQuad * kQuad ? together : 1;
    return k / wide * wide * kTileSize + r * wide + k % wide;
}

/// Strips that one thread block multiplies: all have the same number of slots.
struct alignas(16) StripRun {
    std::uint32_t first_slot = 0;   ///< of the values: those of its strips stand one after the other
    std::uint32_t first_quad = 0;   ///< of the columns
    std::uint32_t first_strip = 0;  ///< position in `Strips::tile_rows`
    std::uint16_t slots = 0;        ///< of each strip
    std::uint8_t strips = 0;
    std::uint8_t groups_log2 : 4 = 0;  ///< groups of lanes that share a strip, as a power of 2
    std::uint8_t shared : 1 = 0;       ///< one pattern for all of its strips, else one each
    std::uint8_t holes : 1 = 0;        ///< slots may lack rows
    std::uint8_t unused : 2 = 0;

    [[nodiscard]] constexpr std::uint32_t quads() const { return (slots + kQuad - 1U) / kQuad; }
    /// Of the columns of its strip `i`.
    [[nodiscard]] constexpr std::uint32_t quad_of(std::uint32_t i) const {
        return first_quad + (shared != 0 ? 0 : i * quads());
    }
    friend bool operator==(const StripRun&, const StripRun&) = default;
};
static_assert(sizeof(StripRun) == 16);

/// A matrix as *strips*, the 16 rows of a tile row each. A strip is a list of slots; a slot is at most one nonzero of
/// each row, all within 16 columns from its base on, that is a tile whose column origin floats. Slots are filled by
/// windows: the base is the smallest column that no slot before has taken, and every row whose next column lies in the
/// window gives that nonzero; the other rows leave a hole, whose value is 0. Where values stand `strip_place` says.
/// The columns of a strip are its pattern. Bases are relative to the first row of the strip, so that strips of a
/// regular grid have the same one, which a run of them stores once.
/// Tile rows that would take more bytes so than as CSR with 16-bit columns, and those of too many slots, are left out:
/// `rest`. Made from CSR alone; in the memory of the host.
struct Strips {
    Buffer<StripRun> runs;
    Buffer<std::uint32_t> tile_rows;  ///< of the strips, in the order of their values
    Buffer<std::int32_t> bases;       ///< kQuad a quad
    Buffer<std::uint16_t> codes;      ///< kTileSize a quad, one a row: 4 bits a slot
    Buffer<std::uint8_t> masks;       ///< kRowPairs a quad; 4 bits a row: which slots have a nonzero in it
    std::vector<RowRange> rest;       ///< ascending, of whole tile rows
    int value_bytes = 8;              ///< of the values that are to stand in it
    int together = 1;                 ///< values of a row side by side (`strip_place`)
    std::int64_t slots = 0;           ///< of all strips
    offset_t nonzeros = 0;            ///< in strips

    /// Bytes that a product reads, x and y apart.
    [[nodiscard]] std::size_t bytes() const;
};

/// A whole matrix as strips: what the operators `strip` and `strip-omp` multiply, and archives hold.
template <Value V>
struct StripMatrix {
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;  ///< in strips and in `rest`
    Strips strips;
    Buffer<V> values;   ///< `strips.slots` * 16; 0 in holes
    CsrMatrix<V> rest;  ///< rows of `strips.rest`, all others empty; 0 x 0 if there are none

    [[nodiscard]] std::size_t bytes() const {
        return strips.bytes() + rest.row_ptrs.bytes() + rest.col_idxs.bytes() + rest.values.bytes();
    }
};

/// How many tile rows there are, in strips and beside them.
std::int64_t tile_row_count(const Strips& strips);

/// As for other forms (tile/sizes.hpp).
template <Value V>
void validate_sizes(const StripMatrix<V>& m);

/// Strips of a matrix, as the operator `strip` makes them on an H200, on every machine: parts of 16,384 rows become
/// strips if they take at most `most_bytes` times the bytes of CSR with 16-bit columns. Throws `Error` if there are
/// 2^32 slots or more.
template <Value V>
StripMatrix<V> make_strip_matrix(const CsrMatrix<V>& a, double most_bytes = 1);

/// The matrix that it was made from, bit for bit.
template <Value V>
CsrMatrix<V> to_csr(const StripMatrix<V>& m);

}  // namespace tilespmv
