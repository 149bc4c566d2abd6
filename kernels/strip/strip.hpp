#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/row_range.hpp"
#include "kernels/cuda/tuning.hpp"
#include "tile/csr.hpp"
#include "tile/parallel.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// Slots whose columns are loaded at a time.
inline constexpr int kQuad = 4;
/// Pairs of rows of a strip.
inline constexpr int kRowPairs = kTileSize / 2;
/// Values of one row that a lane of a GPU loads at a time, of a whole quad.
template <std::size_t kValueBytes>
inline constexpr int kQuadLoad = kValueBytes == 8 ? 2 : 4;

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
    std::vector<StripRun> runs;
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

/// How strips are made and divided into runs.
struct StripLimits {
    int value_bytes = 8;
    int together = value_bytes == 8 ? kQuadLoad<8> : kQuadLoad<4>;  ///< of `Strips`; 1 for vectors of 16 rows
    int threads = kStripThreads;                                    ///< of a block
    int max_slots = 512;                                            ///< of a strip
    int lane_slots = 32;   ///< of a strip before twice as many lanes share it, at least kShortStrip
    int block_strips = 4;  ///< short ones that a block takes about
    /// Bytes of 16,384 rows as strips, over those with 16-bit columns, up to which they become strips.
    double most_bytes = 1;
};

/// Columns of `a` must be below 2^31 - 1. Throws `Error` if there are 2^32 slots or more.
template <Value V>
Strips make_strips(const CsrMatrix<V>& a, const StripLimits& limits);

/// Back to CSR, exactly: a matrix of rows x cols, empty in the rows that `s` does not hold.
template <Value V>
CsrMatrix<V> to_csr(const Strips& s, index_t rows, index_t cols, const Buffer<V>& values);

/// Calls f(slot, row, place) for each nonzero of strip `i` of `run`: its slot, its row in the strip, its place among
/// the values of the strip. The k-th call for a row is its k-th nonzero in CSR.
template <class F>
void for_each_nonzero(const Strips& s, const StripRun& run, std::uint32_t i, F&& f) {
    const std::uint8_t* masks = s.masks.data() + std::size_t{run.quad_of(i)} * kRowPairs;
    for (int k = 0; k < run.slots; ++k) {
        for (int r = 0; r < kTileSize; ++r) {
            const int mask = masks[k / kQuad * kRowPairs + r / 2] >> (r % 2 * 4 + k % kQuad);
            if ((mask & 1) != 0) f(k, r, strip_place(k, r, run.slots, s.together));
        }
    }
}

/// What belongs to the nonzeros of `s`, out of what belongs to those of the CSR matrix (such as their values); T{} in
/// holes.
template <class T>
Buffer<T> in_strips(const Strips& s, std::span<const offset_t> row_ptrs, const Buffer<T>& of_csr) {
    Buffer<T> taken(static_cast<std::size_t>(s.slots) * kTileSize);
    const std::size_t rows = row_ptrs.size() - 1;
    parallel_for(0, static_cast<std::int64_t>(s.runs.size()), 16, [&](std::int64_t at) {
        const StripRun& run = s.runs[static_cast<std::size_t>(at)];
        T* strip = taken.data() + std::size_t{run.first_slot} * kTileSize;
        std::fill_n(strip, std::size_t{run.slots} * run.strips * kTileSize, T{});
        for (std::uint32_t i = 0; i < run.strips; ++i, strip += std::size_t{run.slots} * kTileSize) {
            const std::size_t row0 = std::size_t{s.tile_rows[run.first_strip + i]} * kTileSize;
            offset_t next[kTileSize];
            for (std::size_t r = 0; r < kTileSize; ++r) next[r] = row_ptrs[std::min(row0 + r, rows)];
            for_each_nonzero(s, run, i, [&](int, int r, int place) { strip[place] = of_csr[next[r]++]; });
        }
    });
    return taken;
}

}  // namespace tilespmv::cuda
