#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "selector/auto/pattern_reader.hpp"

namespace tilespmv::cuda {

/// Begins to count the sectors that the columns of each block meet, as `PatternReader::count_sectors` says. `counts`:
/// in memory that a kernel can write, set when the stream has passed.
void begin_counting_sectors(const index_t* col_idxs, const ElementRanges& blocks, const SectorsOfX& sectors,
                            std::uint32_t* counts, cudaStream_t stream);

}  // namespace tilespmv::cuda
