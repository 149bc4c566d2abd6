#pragma once

#include <cstdint>
#include <vector>

#include "kernels/operator.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv {

/// A part for each format of the tiles, in the order of the list, and one for the deferred nonzeros. Those of tiles
/// have the bytes of their values, indices and entries, the deferred ones `deferred_bytes`. Parts may be empty.
template <Value V>
std::vector<ExecutedPart> executed_tiles(const TileMatrix<V>& a, std::uint64_t deferred_bytes);

/// The parts of a tiled matrix on the CPU, where a product reads `TileMatrix::bytes()`.
template <Value V>
std::vector<ExecutedPart> executed_tiles(const TileMatrix<V>& a);

/// Gathers the parts of an operator, so that no byte is lost and none counts twice.
class ExecutedParts {
public:
    /// Adds parts and bytes that they share, such as tile rows of level 1: these are spread over them by their
    /// nonzeros, as are the bytes of parts that have none. Parts of the same representation and format become one.
    void add(const std::vector<ExecutedPart>& parts, std::uint64_t shared_bytes);
    /// What was added, in that order; none without nonzeros. Bytes that came with parts of no nonzeros are spread over
    /// all of it.
    [[nodiscard]] std::vector<ExecutedPart> finish();

private:
    void merge(const ExecutedPart& part);

    std::vector<ExecutedPart> parts_;
    std::uint64_t left_over_ = 0;
};

}  // namespace tilespmv
