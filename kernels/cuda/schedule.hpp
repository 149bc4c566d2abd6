#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/paths.hpp"
#include "kernels/cuda/split_row.hpp"

namespace tilespmv::cuda {

/// Consecutive tiles of one tile row that a warp stages together: how many tiles, values and index bytes they have.
/// Where these begin follows from the chunks before it.
struct TileChunk {
    std::uint16_t values = 0;
    std::uint16_t bytes = 0;
    std::uint16_t tiles = 0;
    std::uint16_t chunks = 0;  ///< in an item: how many chunks it has
};
static_assert(sizeof(TileChunk) == 8);

/// What one warp does: chunks of one tile row, then some of its deferred nonzeros; it ends in the 16 values of y, or in
/// 16 partial sums if the tile row is split. Holds its first chunk, so that one read is enough to begin.
struct WorkItem {
    std::int64_t first_value = 0;  ///< of the first chunk, as the next two
    std::int64_t first_byte = 0;
    std::int64_t first_tile = 0;
    std::int64_t deferred_base = 0;  ///< position of the tile row's first deferred nonzero
    TileChunk chunk;
    std::uint32_t deferred_first = 0;  ///< relative to the base
    std::uint32_t deferred_count = 0;
    std::uint32_t next_chunk = 0;  ///< position of the second chunk in `Schedule::chunks`
    std::uint32_t tile_row = 0;
    std::int32_t slot = -1;   ///< of the partial sums, -1: the warp writes y itself
    std::int32_t split = -1;  ///< position in `Schedule::splits`
};
static_assert(sizeof(WorkItem) == 64);

struct ScheduleLimits {
    // What a warp stages at a time; the kernel's shared memory follows from these.
    static constexpr int kChunkValues = 256;
    static constexpr int kChunkBytes = 512;
    static constexpr int kChunkTiles = 32;
    static constexpr int kChunkWideTiles = 16;  // not in COO: x is staged for these

    offset_t item_values = 4096;  ///< about this many values (or deferred nonzeros) and no more make an item
};

/// How one product is cut into work for warps; depends on the matrix and the limits alone.
struct Schedule {
    std::vector<WorkItem> items;    ///< every tile row of this path has at least one, in their order
    std::vector<TileChunk> chunks;  ///< those of an item but for its first follow each other
    std::vector<SplitRow> splits;
    /// Per row: end of its deferred nonzeros relative to its tile row's base; empty if nothing is deferred.
    std::vector<std::uint32_t> deferred_ends;
    std::uint32_t slots = 0;
};

/// Limits under which a matrix of `work` values keeps `warps` resident warps busy with several items each.
ScheduleLimits limits_for(offset_t work, offset_t warps);

/// For the tile rows that are executed tile by tile; `a` must hold nothing of the others.
/// Throws `Error` for a matrix whose 16 rows of one tile row hold 2^32 deferred nonzeros or more.
template <Value V>
Schedule make_schedule(const TileMatrix<V>& a, const Paths& paths, const ScheduleLimits& limits);

}  // namespace tilespmv::cuda
