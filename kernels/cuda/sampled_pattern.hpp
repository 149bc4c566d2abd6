#pragma once

#include <list>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/gather.hpp"
#include "kernels/cuda/pinned_memory.hpp"
#include "kernels/source.hpp"
#include "selector/auto/pattern_reader.hpp"

namespace tilespmv::cuda {

/// Reads the pattern of a CSR matrix in device memory for `features_of`: what is sampled is gathered there, and what
/// needs all rows or nonzeros is counted there.
template <class V>
class SampledPattern final : public PatternReader {
public:
    /// The source must outlive it. Throws `Error` if its arrays are not in the memory of the current GPU.
    SampledPattern(const Source<V>& source, const DeviceContext& on);
    Found read(const ElementRanges& row_ptrs, const ElementRanges& columns) override;
    const SampleCounts& count(const CountedSample& sample) override;
    const RowStatistics& row_statistics() override { return source_.row_statistics(); }
    offset_t count_diagonals(const std::vector<offset_t>& known) override;

private:
    const Source<V>& source_;
    DeviceContext on_;
    DevicePattern there_;
    PinnedMemory counts_;
    std::list<Gather> gathered_;                 // one of each call
    std::list<std::vector<offset_t>> row_ptrs_;  // and those of 32 bits
};

}  // namespace tilespmv::cuda
