#pragma once

#include <vector>

#include "formats/convert.hpp"
#include "kernels/cuda/dense_runs.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/paths.hpp"
#include "kernels/cuda/schedule.hpp"
#include "kernels/cuda/tile_subset.hpp"
#include "kernels/executed.hpp"

namespace tilespmv::cuda {

/// The tile rows that are executed by the routines of their formats, and how the GPU shares them, in the memory of the
/// host.
template <Value V>
struct TileWork {
    TileSubset<V> dense;
    DenseRuns dense_runs;
    TileSubset<V> tiles;
    Schedule schedule;
};

/// The tile rows of `m` whose path is `dense` or `tiles`.
template <Value V>
TileWork<V> make_tile_work(const TileMatrix<V>& m, const Paths& paths, GpuSize gpu);

/// Adds what a product with `work` executes, with the bytes of its arrays on the GPU: those of the runs belong to the
/// dense tiles, those of the ends of rows to the deferred nonzeros; items and chunks are shared by what they list.
template <Value V>
void add_executed(const TileWork<V>& work, ExecutedParts& parts);

/// Where the values of each array of `work` stand in `whole`: 1 + their place among its nonzeros in CSR order, 0 for
/// padding. Those of the dense tile rows, of the tiles, of what these defer. P must hold the number of nonzeros.
template <class P, Value V>
std::vector<Buffer<P>> positions_of(const TileWork<V>& work, const ValueMap& map, const TileMatrix<V>& whole) {
    const auto in_arena = map.tiled_positions<P>(whole);
    std::vector<Buffer<P>> positions;
    positions.push_back(take(in_arena, work.dense.values));
    positions.push_back(take(in_arena, work.tiles.values));
    positions.push_back(take(map.deferred_positions<P>(whole), work.tiles.deferred));
    return positions;
}

}  // namespace tilespmv::cuda
