#pragma once

#include <cstddef>
#include <functional>

#include "selector/tuning.hpp"

/// Into how large pieces of work the GPU's representations are divided, so that all multiprocessors are busy: pure
/// functions of the size of a matrix.
namespace tilespmv {

/// Most tiles of a run of dense tiles, for `tiles` of them in all.
offset_t dense_run_tiles(offset_t tiles, const Gpu& gpu);

/// How tile rows are divided into items, of a warp or half a warp each.
struct SlotLimits {
    offset_t item_values = 4096;  ///< about so many nonzeros and no more make an item
    offset_t half_values = 0;     ///< up to so many nonzeros of a tile row are left to half a warp
};

/// For a matrix of `nonzeros` nonzeros in `tile_rows` tile rows.
SlotLimits slot_limits(offset_t nonzeros, offset_t tile_rows, const Gpu& gpu);

/// How strips are divided among lanes and thread blocks.
struct StripSizes {
    int max_slots = 0;      ///< of a strip; longer ones are left to CSR
    int lane_slots = 0;     ///< of a strip before twice as many lanes share it
    int block_strips = 0;   ///< short ones that a thread block takes, so that all blocks are one wave
    int blocks = 0;         ///< resident thread blocks of a multiprocessor
    int rank_blocks = 0;    ///< the same where most strips are filled by rank
    double rank_bytes = 0;  ///< up to which strips are filled by rank, over those of CSR with 16-bit columns
};

/// For a matrix of so many rows and nonzeros.
StripSizes strip_sizes(offset_t rows, offset_t nonzeros, const Gpu& gpu);

/// How much of a matrix the second-level cache of a GPU is to keep for the next product (0 to 1), if a product reads
/// and writes `product_bytes` in all, `vector_bytes` of them x and y, and the cache has `l2_bytes`.
double kept_share(std::size_t product_bytes, std::size_t vector_bytes, std::size_t l2_bytes, const CacheTuning& tuning);

/// Bytes of the code of a nonzero in sell: its column, or that there is none.
constexpr std::size_t sell_code_bytes(index_t cols) { return cols < 0xffff ? 2 : 4; }

/// Steps of a slice of sell that a thread has in flight, by the bytes of a value and of a code ("Sorted slices": in
/// float64 4 blocks with 8 steps instead of 6 with 4, and slices of more steps, take 0.96 of the time on 76 matrices in
/// the mean, 0.93 below 1 million nonzeros; with codes of 2 bytes 8 in float32 took 0.81 to 1.08 of the time of 4 in a
/// probe of 20 small matrices, in bfloat16 0.93 in the mean of 128).
constexpr int sell_flight(std::size_t value_bytes, std::size_t code_bytes) {
    return value_bytes == 8 || code_bytes == 2 ? 8 : 4;
}

/// Warps of sell that a multiprocessor holds.
constexpr int sell_warps(std::size_t value_bytes) { return value_bytes == 8 ? 32 : 48; }

/// Most steps of a slice of sell: as many as a thread has in flight, or more for more nonzeros, or where slices of so
/// few are more than a GPU holds at once and codes have 2 bytes. `lanes_of`: of all rows in slices of so many steps;
/// called only if it matters. `gpu`: for values of `value_bytes`.
int sell_steps(index_t cols, offset_t nonzeros, std::size_t value_bytes,
               const std::function<offset_t(int steps)>& lanes_of, const Gpu& gpu);

/// Nonzeros that a thread of csr-merge has room for, in a matrix of so many rows and nonzeros together.
int merge_items(offset_t rows_and_nonzeros, const MergeTuning& tuning);

/// Rows of a thread of dia, 1 or 2.
int dia_rows_a_thread(index_t rows, offset_t diagonals, const Gpu& gpu);

}  // namespace tilespmv
