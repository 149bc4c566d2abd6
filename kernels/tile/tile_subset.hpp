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

/// A matrix of some of the tile rows of another, and where its values come from.
template <Value V>
struct TileSubset {
    TileMatrix<V> matrix;
    Runs values;    ///< in the arena of values
    Runs deferred;  ///< in the deferred nonzeros
};

/// The tile rows of `a` that have this path.
template <Value V>
TileSubset<V> subset(const TileMatrix<V>& a, const Paths& paths, Path path);

}  // namespace tilespmv::cuda
