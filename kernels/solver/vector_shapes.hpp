#pragma once

#include <cstddef>

/// How the kernels over vectors of a solver are launched on a GPU.
namespace tilespmv::solver {

struct LaunchShape {
    int threads = 256;   ///< of a block
    int elements = 2;    ///< consecutive turns of a thread before the next block's part begins
    int max_blocks = 0;  ///< with more, blocks take further parts in turn; 0: as many as there are parts
};

/// Blocks of a launch over n values: at least 1.
constexpr int blocks_for(const LaunchShape& shape, std::size_t n) {
    const auto part = static_cast<std::size_t>(shape.threads) * static_cast<std::size_t>(shape.elements);
    const std::size_t parts = n == 0 ? 1 : (n + part - 1) / part;
    const bool is_capped = shape.max_blocks > 0 && parts > static_cast<std::size_t>(shape.max_blocks);
    return is_capped ? shape.max_blocks : static_cast<int>(parts);
}

/// Of kernels that only write vectors, and of those that leave sums.
struct VectorShapes {
    LaunchShape elementwise;
    LaunchShape reducing;
};

/// The shapes for vectors of n values of `value_bytes` (4 or 8): small vectors are spread over all multiprocessors
/// before a thread gets more than 16 bytes; reductions, whose last block adds up what the others leave, have a limited
/// number of blocks, and one alone where it waits for nobody. No figure of them was swept: shapes that were measured
/// for each kernel and size made iterations 1.03 times as fast at most ("Launch shapes" in `bench/NOTES.md`).
VectorShapes vector_shapes(std::size_t n, std::size_t value_bytes, int multiprocessors);

}  // namespace tilespmv::solver
