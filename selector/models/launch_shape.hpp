#pragma once

#include <cstddef>

namespace tilespmv {

/// How a kernel over vectors of n values is launched on a GPU: what models choose, and a solver is given.
struct LaunchShape {
    int threads = 256;   ///< of a block
    int elements = 2;    ///< consecutive turns of a thread before the next block's part begins
    int max_blocks = 0;  ///< with more, blocks take further parts in turn; 0: as many as there are parts

    friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

/// Blocks of a launch over n values: at least 1.
constexpr int blocks_for(const LaunchShape& shape, std::size_t n) {
    const auto part = static_cast<std::size_t>(shape.threads) * static_cast<std::size_t>(shape.elements);
    const std::size_t parts = n == 0 ? 1 : (n + part - 1) / part;
    const bool is_capped = shape.max_blocks > 0 && parts > static_cast<std::size_t>(shape.max_blocks);
    return is_capped ? shape.max_blocks : static_cast<int>(parts);
}

}  // namespace tilespmv
