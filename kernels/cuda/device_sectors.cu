#include "kernels/cuda/device_sectors.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/cuda/launch.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kBlock;
constexpr int kLogPlaces = 10;
constexpr unsigned kPlaces = 1U << kLogPlaces;
static_assert(kPlaces >= 2 * kBlock);
constexpr unsigned kNoSector = 0xffffffff;

struct BlocksToCount {
    ElementRange blocks[kMostSamples];
    const index_t* col_idxs = nullptr;
    SectorsOfX sectors;
    std::uint32_t* counts = nullptr;
};

/// A thread for each nonzero of a block. Sectors have places in shared memory, each the first free one from that of its
/// number on.
__global__ void __launch_bounds__(kThreads) count_sectors_of_blocks(const __grid_constant__ BlocksToCount p) {
    __shared__ unsigned met[kPlaces];
    for (unsigned i = threadIdx.x; i < kPlaces; i += kThreads) met[i] = kNoSector;
    __syncthreads();
    const ElementRange block = p.blocks[blockIdx.x];
    bool is_new = false;
    if (threadIdx.x < block.size) {
        const unsigned sector = p.sectors.of(p.col_idxs[block.first + threadIdx.x]);
        unsigned place = sector * 0x9e3779b1U >> (32 - kLogPlaces);
        unsigned was = atomicCAS(met + place, kNoSector, sector);
        while (was != kNoSector && was != sector) {
            place = (place + 1) % kPlaces;
            was = atomicCAS(met + place, kNoSector, sector);
        }
        is_new = was == kNoSector;
    }
    const int count = __syncthreads_count(is_new);
    if (threadIdx.x == 0) p.counts[blockIdx.x] = static_cast<std::uint32_t>(count);
}

}  // namespace

void begin_counting_sectors(const index_t* col_idxs, const ElementRanges& blocks, const SectorsOfX& sectors,
                            std::uint32_t* counts, cudaStream_t stream) {
    BlocksToCount p{.blocks = {}, .col_idxs = col_idxs, .sectors = sectors, .counts = counts};
    std::ranges::copy(blocks, p.blocks);
    launch(count_sectors_of_blocks, std::ssize(blocks), kThreads, p, stream);
}

}  // namespace tilespmv::cuda
