#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "selector/paths.hpp"

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

}  // namespace tilespmv::cuda
