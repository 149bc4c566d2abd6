#pragma once

#include <cstdint>

namespace tilespmv::cuda {

/// A row (or tile row) that is split: several teams, thread blocks or warps multiply a piece of it each and leave a
/// partial sum (16 for a tile row), `partials` of them from `first_partial` on. The last to arrive adds them in their
/// order, so that results do not depend on who is last; in sell a block adds those that it has, and the last block the
/// sums of the others.
struct SplitRow {
    std::uint32_t first_partial = 0;
    std::uint32_t partials = 0;
};

}  // namespace tilespmv::cuda
