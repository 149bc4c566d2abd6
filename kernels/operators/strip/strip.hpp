#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/tuning.hpp"
#include "kernels/operators/strip/strip_matrix.hpp"
#include "selector/work_sizes.hpp"
#include "tile/csr.hpp"
#include "tile/parallel.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// Values of one row that a lane of a GPU loads at a time, of a whole quad.
template <std::size_t kValueBytes>
inline constexpr int kQuadLoad = kValueBytes == 8 ? 2 : 4;

/// How strips are made and divided into runs.
struct StripLimits {
    int value_bytes = 8;
    int together = value_bytes == 8 ? kQuadLoad<8> : kQuadLoad<4>;  ///< of `Strips`; 1 for vectors of 16 rows
    int threads = cuda::kStripThreads;                              ///< of a block
    int max_slots = 512;                                            ///< of a strip
    int lane_slots = 32;   ///< of a strip before twice as many lanes share it, at least kShortStrip
    int block_strips = 4;  ///< short ones that a block takes about
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
constexpr double csr16_bytes_of(const StripLimits& limits, offset_t nonzeros, std::int64_t tile_rows) {
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

/// The tile rows of these rows.
std::vector<std::uint32_t> tile_rows_in(const std::vector<RowRange>& ranges);

/// Throws `Error` if there are 2^32 slots or more.
void require_fewer_slots(std::uint64_t slots);

/// Columns of `a` must be below 2^31 - 1. Throws `Error` if there are 2^32 slots or more.
template <Value V>
Strips make_strips(const CsrMatrix<V>& a, const StripLimits& limits);

/// Back to CSR, exactly: a matrix of rows x cols, empty in the rows that `s` does not hold.
template <Value V>
CsrMatrix<V> to_csr(const Strips& s, index_t rows, index_t cols, const Buffer<V>& values);

/// Where the rows of the matrix begin in its CSR form.
template <Value V>
Buffer<offset_t> row_ptrs_of(const StripMatrix<V>& m);

/// A copy of `a` in which all rows are empty but those of `ranges`, which ascend and do not overlap.
template <Value V>
CsrMatrix<V> rows_in(const CsrMatrix<V>& a, const std::vector<RowRange>& ranges);

/// The values of `s` as they stand if so many of a row are side by side (`Strips::together`).
template <Value V>
Buffer<V> rearranged(const Strips& s, const Buffer<V>& values, int together);

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

/// A whole matrix as strips that are made so, with its values.
template <Value V>
StripMatrix<V> make_strip_matrix(const CsrMatrix<V>& a, const StripLimits& limits);

}  // namespace tilespmv
