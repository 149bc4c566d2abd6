#include "kernels/cuda/sample_counts.hpp"

#include "kernels/cuda/launch.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kBlock;
static_assert(kRowLengths <= kThreads);
constexpr int kLogPlaces = 10;
constexpr unsigned kPlaces = 1U << kLogPlaces;
static_assert(kPlaces >= 2 * kBlock);
constexpr unsigned kNoSector = 0xffffffff;

template <class P>
struct SampleToCount {
    CountedSample sample;
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    SampleCounts* counts = nullptr;
};

/// Sectors have places in shared memory, each the first free one from that of its number on.
__device__ bool is_new(unsigned* met, unsigned sector) {
    unsigned place = sector * 0x9e3779b1U >> (32 - kLogPlaces);
    while (true) {
        const unsigned was = atomicCAS(met + place, kNoSector, sector);
        if (was == kNoSector) return true;
        if (was == sector) return false;
        place = (place + 1) % kPlaces;
    }
}

/// A block for each block of nonzeros, and one for the lengths.
template <class P>
__global__ void __launch_bounds__(kThreads) count_sample(SampleToCount<P> p) {
    const CountedSample& sample = p.sample;
    if (blockIdx.x == sample.blocks) {
        if (threadIdx.x >= sample.lengths) return;
        const offset_t row = sample.row(threadIdx.x);
        p.counts->lengths[threadIdx.x] = offset_t{p.row_ptrs[row + 1]} - offset_t{p.row_ptrs[row]};
        return;
    }
    __shared__ unsigned met[kPlaces];
    for (unsigned i = threadIdx.x; i < kPlaces; i += kThreads) met[i] = kNoSector;
    __syncthreads();
    const ElementRange block = sample.block(blockIdx.x);
    const bool is_there = threadIdx.x < block.size;
    const bool counts = is_there && is_new(met, sample.sector(p.col_idxs[block.first + threadIdx.x]));
    const int count = __syncthreads_count(counts ? 1 : 0);
    if (threadIdx.x == 0) p.counts->sectors[blockIdx.x] = static_cast<std::uint32_t>(count);
}

}  // namespace

void begin_count(const DevicePattern& a, const CountedSample& sample, SampleCounts* counts, cudaStream_t stream) {
    std::visit(
        [&]<class P>(const P* row_ptrs) {
            const SampleToCount<P> p{sample, row_ptrs, a.col_idxs, counts};
            launch(count_sample<P>, sample.blocks + 1, kThreads, p, stream);
        },
        a.row_ptrs);
}

}  // namespace tilespmv::cuda
