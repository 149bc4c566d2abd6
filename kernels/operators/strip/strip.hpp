#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cuda/tuning.hpp"
#include "kernels/row_range.hpp"
#include "selector/work_sizes.hpp"
#include "tile/csr.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// Slots whose columns are loaded at a time.
inline constexpr int kQuad = 4;
/// Pairs of rows of a strip.
inline constexpr int kRowPairs = kTileSize / 2;

/// Values of one row that a lane of a GPU loads at a time, of a whole quad.
template <std::size_t kValueBytes>
inline constexpr int kQuadLoad = kValueBytes == 8 ? 2 : 4;

/// The place of slot `k` in row `r` among the values of a strip of `slots` slots on a GPU: in whole quads the values of
/// a row stand `together` by `together` side by side, behind them slot by slot.
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
/// window gives that nonzero; the other rows leave a hole, whose value is 0.
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
    std::int64_t slots = 0;           ///< of all strips
    offset_t nonzeros = 0;            ///< in strips
};

/// How strips are made and divided into runs.
struct StripLimits {
    int value_bytes = 8;
    int threads = cuda::kStripThreads;  ///< of a block
    int max_slots = 512;                ///< of a strip
    int lane_slots = 32;                ///< of a strip before twice as many lanes share it, at least kShortStrip
    int block_strips = 4;               ///< short ones that a block takes about
    int resident_blocks = cuda::kFewStripBlocks;  ///< of a multiprocessor
    int rank_blocks = cuda::kFewStripBlocks;      ///< the same where most strips are filled by rank
    /// Bytes of 16,384 rows as strips, over those with 16-bit columns, up to which they become strips.
    double most_bytes = 1;
    /// The same of 16,384 of the others as strips that are filled by rank.
    double most_rank_bytes = 1;
};

/// Tile rows that are divided into runs by themselves: strips of one shape are looked for among them, and they become
/// strips, or not, as a whole.
inline constexpr int kTileRowsOfPart = 1024;

/// As a power of 2, the groups of lanes that share a strip.
constexpr int strip_groups_log2(const StripLimits& limits, int slots) { return slots > limits.lane_slots ? 1 : 0; }

/// Strips of a full run. A block takes long strips once, short ones in up to four rounds, of one pattern several at a
/// time.
constexpr int strips_of_run(const StripLimits& limits, int slots, bool shared) {
    constexpr int kMostRounds = 4;  // not swept beyond
    const int at_once = limits.threads / kTileSize >> strip_groups_log2(limits, slots);
    if (slots == 0 || slots > cuda::kShortStrip) return at_once;
    const int wanted = (limits.block_strips + at_once - 1) / at_once;
    const int flight = shared ? cuda::strip_flight(slots, limits.value_bytes, limits.resident_blocks) : 1;
    const int together = std::min(flight, wanted);
    return at_once * together * std::min((wanted + together - 1) / together, kMostRounds);
}

/// Of so many strips of one pattern those that share it in runs, `each` in a full one; the others are fewer than four,
/// or at most half a run.
constexpr int strips_that_share(int strips, int each) {
    constexpr int kMinShared = 4;
    if (strips < kMinShared || strips <= each / 2) return 0;
    return std::min(strips, (strips - each / 2 + each - 1) / each * each);
}

/// Bytes of `slots` slots' values.
constexpr double strip_value_bytes(const StripLimits& limits, std::int64_t slots) {
    return static_cast<double>(slots * kTileSize * limits.value_bytes);
}
/// Of the columns of quads as they are counted against CSR, masks apart.
constexpr double quad_bytes(std::int64_t quads) {
    return static_cast<double>(quads * std::int64_t{kQuad * sizeof(std::int32_t) + kTileSize * sizeof(std::uint16_t)});
}
constexpr double rank_quad_bytes(std::int64_t quads) {
    return static_cast<double>(quads * std::int64_t{kQuad * kTileSize * sizeof(std::uint16_t)});
}
/// Of tile rows in CSR with 16-bit columns: a value and a column for each nonzero, and the end of each row.
constexpr double narrow_csr_bytes_of(const StripLimits& limits, offset_t nonzeros, std::int64_t tile_rows) {
    return static_cast<double>(nonzeros * (limits.value_bytes + 2) + tile_rows * kTileSize * 2);
}

/// The hash of a pattern, from the columns of its rows relative to the first one: `hashed` for each nonzero of a row,
/// in order from 0 on, and the sum of what `mixed` makes of the rows.
constexpr std::uint64_t hashed(std::uint64_t before, std::int32_t column) {
    return (before + static_cast<std::uint32_t>(column) + 1) * 0xd6e8feb86659fd93U;
}
constexpr std::uint64_t mixed(std::uint64_t of_row, int row) {
    std::uint64_t x = (of_row + static_cast<std::uint64_t>(row) + 1) * 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93U;
    return x ^ x >> 29;
}

/// By which the strips of a part are sorted, those with equal keys in their order: the number of slots (10 bits), 44
/// bits of the hash, and 10 bits for whoever sorts.
constexpr int kKeyTagBits = 10;
constexpr std::uint64_t strip_key(int slots, std::uint64_t hash) {
    return static_cast<std::uint64_t>(slots) << 54 | hash >> 20 << kKeyTagBits;
}
constexpr int slots_of_key(std::uint64_t key) { return static_cast<int>(key >> 54); }

/// Those for a matrix of so many rows and nonzeros on a GPU, by `strip_sizes`.
StripLimits strip_limits(index_t rows, offset_t nonzeros, int value_bytes, const Gpu& gpu);

/// Whether a run has the pattern of the one before it, which is stored once for both.
constexpr bool repeats_pattern(const StripRun& before, const StripRun& run) {
    return before.shared != 0 && run.shared != 0 && before.slots == run.slots && before.first_quad == run.first_quad;
}

/// Throws `Error` if there are 2^32 slots or more.
void require_fewer_slots(std::uint64_t slots);

/// Columns of `a` must be below 2^31 - 1. Throws `Error` if there are 2^32 slots or more.
template <Value V>
Strips make_strips(const CsrMatrix<V>& a, const StripLimits& limits);

}  // namespace tilespmv
