#pragma once

#include <cstddef>

#include "selector/models/launch_shape.hpp"

/// Who takes the values at the end of a vector that do not fill a pack.
namespace tilespmv::solver {

/// 1 if an elementwise kernel over packs of `pack` values gets a block more than there are parts, whose last thread
/// takes those values; else 0. Without it that is a thread of the last part, and where all warps of that have packs in
/// their last turn, the whole launch waits for a load after the loads of packs. Where there are many, one block more
/// might no longer fit beside those of the launch before; where blocks are capped, one more would get other parts.
constexpr int tail_blocks(const LaunchShape& shape, std::size_t n, int pack) {
    constexpr int kMostThreads = 65'536;  // a block of 1,024 on every other multiprocessor of an H200
    constexpr std::size_t kWarpSize = 32;
    const int parts = blocks_for({shape.threads, shape.elements, 0}, n);
    const auto values = static_cast<std::size_t>(pack);
    const auto threads = static_cast<std::size_t>(shape.threads);
    if (n % values == 0 || parts > kMostThreads / shape.threads || blocks_for(shape, n) < parts) return 0;
    const std::size_t packs_of_last_turn = n % (threads * values) / values;
    return packs_of_last_turn + kWarpSize > threads ? 1 : 0;
}

}  // namespace tilespmv::solver
