#pragma once

#include <cstdint>

namespace tilespmv::cuda {

/// A row (or tile row) whose parts leave partial sums in `slots` consecutive slots; the last part to arrive adds them
/// in their order, so that results do not depend on who is last.
struct SplitRow {
    std::uint32_t first_slot = 0;
    std::uint32_t slots = 0;
};

}  // namespace tilespmv::cuda
