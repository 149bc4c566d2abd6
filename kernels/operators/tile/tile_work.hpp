#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/convert.hpp"
#include "kernels/executed.hpp"
#include "kernels/operators/tile/dense_runs.hpp"
#include "kernels/operators/tile/slots.hpp"
#include "selector/paths.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {

/// Positions [first, second) of an array.
using Runs = std::vector<std::pair<offset_t, offset_t>>;

/// Elements of `from` at the positions of `runs`.
template <class T>
Buffer<T> take(const Buffer<T>& from, const Runs& runs) {
    offset_t size = 0;
    for (const auto& [first, end] : runs) size += end - first;
    Buffer<T> taken(static_cast<std::size_t>(size));
    T* to = taken.data();
    for (const auto& [first, end] : runs) to = std::copy(from.data() + first, from.data() + end, to);
    return taken;
}

/// The tile rows of a matrix that have nothing but full dense tiles.
template <Value V>
struct DenseTileRows {
    std::vector<index_t> tile_rows;
    std::vector<offset_t> tile_ptrs{0};  ///< the first tile of each, with the end
    Buffer<TileEntry> tiles;
    Buffer<V> values;  ///< 256 of each tile
    Runs value_runs;   ///< where they stand among the values of the matrix

    [[nodiscard]] offset_t nnz() const { return static_cast<offset_t>(values.size()); }
};

/// The tile rows of `a` whose path is `dense`.
template <Value V>
DenseTileRows<V> dense_tile_rows(const TileMatrix<V>& a, const Paths& paths);

/// The tile rows of a matrix, and how the GPU shares them, in the memory of the host.
template <Value V>
struct TileWork {
    DenseTileRows<V> dense;
    DenseRuns dense_runs;
    SlotLimits limits;
    SlotWork<V> slots;
};

/// Tile rows are executed by their `paths`.
template <Value V>
TileWork<V> make_tile_work(const TileMatrix<V>& m, const Paths& paths, const Gpu& gpu);

/// Adds what a product with `work` executes, with the bytes of its arrays on the GPU: those of the runs belong to the
/// dense tiles, items and the ends of rows of entries are shared by what they list.
template <Value V>
void add_executed(const TileWork<V>& work, ExecutedParts& parts);

/// Where the values of each array of `work`, made of `m` by `paths`, stand: 1 + their place among the nonzeros in CSR
/// order. Those of the dense tile rows, of the slots, of the entries. `tiled` and `deferred` are such positions, too:
/// one for each value that `m` stores and for each of its deferred nonzeros.
template <class P, Value V>
std::vector<Buffer<P>> positions_of(const TileWork<V>& work, const Buffer<P>& tiled, const Buffer<P>& deferred,
                                    const TileMatrix<V>& m, const Paths& paths) {
    auto slots = make_slots<P>(m, paths, work.limits, tiled, deferred);
    std::vector<Buffer<P>> positions;
    positions.push_back(take(tiled, work.dense.value_runs));
    positions.push_back(std::move(slots.values));
    positions.push_back(std::move(slots.entry_values));
    return positions;
}

}  // namespace tilespmv::cuda
