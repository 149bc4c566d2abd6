#pragma once

#include <algorithm>

namespace tilespmv::cuda {

/// How many blocks of a kernel are on a multiprocessor at once, and by what shared memory there can be fewer.
struct Residency {
    unsigned multiprocessors = 0;
    unsigned blocks = 0;       ///< that fit on one of them; 0: not known
    unsigned block_bytes = 0;  ///< of shared memory, the driver's own for a block included
    unsigned split_bytes = 0;  ///< of shared memory that a multiprocessor has where there are to be fewer
};

/// Bytes of dynamic shared memory more for each block of a launch of so many, so that no multiprocessor holds more than
/// its share of them; 0 if all is well without. Blocks of a launch that starts early first take what the one before
/// leaves free, and the rest of them goes where that one ends first: if they fit all at once, but not beside as many,
/// some multiprocessors get up to twice what others do.
constexpr unsigned balancing_bytes(const Residency& of, unsigned blocks) {
    constexpr unsigned kGranularity = 128;  // of an allocation
    constexpr unsigned kMost = 48 << 10;    // that a kernel has without asking for more
    if (of.blocks == 0 || 2 * blocks <= of.multiprocessors * of.blocks) return 0;
    const unsigned share = (blocks + of.multiprocessors - 1) / of.multiprocessors;
    if (share >= of.blocks) return 0;
    const unsigned bytes = std::min(of.split_bytes / share / kGranularity * kGranularity, kMost);
    return bytes > of.block_bytes ? bytes - of.block_bytes : 0;
}

}  // namespace tilespmv::cuda
