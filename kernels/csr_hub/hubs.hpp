#pragma once

#include <span>

#include "selector/tuning.hpp"
#include "tile/buffer.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// Which columns become hubs: those of the most nonzeros, whose x each multiprocessor keeps in shared memory.
struct HubLimits {
    index_t max_hubs = 0;        ///< as many as shared memory has room for
    offset_t min_count = 1;      ///< nonzeros of a column from which on it is a hub
    offset_t min_nonzeros = 0;   ///< of all hubs together; if there are fewer, there are no hubs
    offset_t sampled = 1 << 21;  ///< nonzeros that are counted, evenly spread; all of them if there are no more
};

/// The hubs among `cols` columns, in ascending order; of columns with equally many nonzeros the first ones.
Buffer<index_t> choose_hubs(std::span<const index_t> col_idxs, index_t cols, const HubLimits& limits);

/// Those that pay on a GPU of `multiprocessors` that have room for the x of `max_hubs` hubs each, `value_bytes` apiece.
HubLimits hub_limits(index_t max_hubs, std::size_t value_bytes, int multiprocessors, const HubTuning& tuning);

}  // namespace tilespmv::cuda
