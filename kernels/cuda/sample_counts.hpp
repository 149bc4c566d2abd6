#pragma once

#include "kernels/source.hpp"
#include "selector/auto/pattern_reader.hpp"

namespace tilespmv::cuda {

/// Begins what `PatternReader::count` does of a matrix in device memory, whose columns and row pointers may be wrong.
/// `counts`: in memory that a kernel can write, set when the stream has passed.
void begin_count(const DevicePattern& a, const CountedSample& sample, SampleCounts* counts, CUstream_st* stream);

}  // namespace tilespmv::cuda
