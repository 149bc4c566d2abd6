#include "kernels/cuda/device_diagonals.hpp"

#include <algorithm>
#include <bit>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "selector/csr_shapes.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;
constexpr offset_t kMostBlocks = 1 << 10;
constexpr offset_t kWordBits = 32;
constexpr int kLogPlaces = 11;  ///< of diagonals that a block knows: more than DIA has where it pays
constexpr unsigned kPlaces = 1U << kLogPlaces;
constexpr unsigned kNoDiagonal = 0xffffffff;

template <class P>
struct DiagonalsToFind {
    index_t rows = 0;
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    unsigned* met = nullptr;    ///< a bit for each diagonal, that of the lower left corner first
    unsigned* count = nullptr;  ///< of these bits
    int lanes = kWarpSize;      ///< of a row
};

/// Whether the block has met this diagonal, which it has from now on. It forgets none: where it has no place for one,
/// it has not met that.
__device__ bool is_known(unsigned* known, unsigned number) {
    constexpr int kMostLooks = 4;
    unsigned place = number * 0x9e3779b1U >> (32 - kLogPlaces);
    for (int i = 0; i < kMostLooks; ++i) {
        const unsigned was = atomicCAS(known + place, kNoDiagonal, number);
        if (was == number) return true;
        if (was == kNoDiagonal) return false;
        place = (place + 1) % kPlaces;
    }
    return false;
}

/// Blocks look at many rows each, and ask for the bits of diagonals that they have not met alone: where there are few
/// diagonals all would wait for the same words.
template <class P>
__global__ void __launch_bounds__(kThreads) find_diagonals(DiagonalsToFind<P> p) {
    __shared__ unsigned known[kPlaces];
    for (unsigned i = threadIdx.x; i < kPlaces; i += kThreads) known[i] = kNoDiagonal;
    __syncthreads();
    const int rows_of_block = kThreads / p.lanes;
    const int lane = static_cast<int>(threadIdx.x) % p.lanes;
    for (offset_t row = offset_t{blockIdx.x} * rows_of_block + static_cast<int>(threadIdx.x) / p.lanes; row < p.rows;
         row += offset_t{gridDim.x} * rows_of_block) {
        const offset_t end = p.row_ptrs[row + 1];
        for (offset_t k = p.row_ptrs[row] + lane; k < end; k += p.lanes) {
            const offset_t number = p.col_idxs[k] - row + p.rows - 1;
            if (is_known(known, static_cast<unsigned>(number))) continue;
            volatile unsigned* const word = p.met + number / kWordBits;
            const unsigned bit = 1U << (number % kWordBits);
            if ((*word & bit) == 0 && (atomicOr(p.met + number / kWordBits, bit) & bit) == 0) atomicAdd(p.count, 1U);
        }
    }
}

/// Begins to find them: a bit for each diagonal, and in a further word their number.
DeviceBuffer<unsigned> find(const DevicePattern& a, const DeviceContext& on) {
    const auto words = static_cast<std::size_t>((offset_t{a.rows} + a.cols) / kWordBits + 1);
    DeviceBuffer<unsigned> found(words + 1, on);
    TILESPMV_CUDA(cudaMemsetAsync(found.data(), 0, found.bytes(), on.stream));
    std::visit(
        [&]<class P>(const P* row_ptrs) {
            const int lanes = threads_of_mean_row(a.rows, a.nnz);
            const DiagonalsToFind<P> p{a.rows, row_ptrs, a.col_idxs, found.data(), found.data() + words, lanes};
            const offset_t blocks = div_up(offset_t{a.rows} * lanes, offset_t{kThreads});
            launch(find_diagonals<P>, std::min(blocks, kMostBlocks), kThreads, p, on.stream);
        },
        a.row_ptrs);
    return found;
}

}  // namespace

offset_t count_diagonals(const DevicePattern& a, const DeviceContext& on) {
    const DeviceBuffer<unsigned> found = find(a, on);
    unsigned count = 0;
    copy_to_host(&count, found.data() + found.size() - 1, sizeof count, on.stream);
    return count;
}

std::vector<index_t> diagonals_of(const DevicePattern& a, const DeviceContext& on) {
    const DeviceBuffer<unsigned> found = find(a, on);
    Buffer<unsigned> words(found.size());
    copy_to_host(words.data(), found.data(), words.bytes(), on.stream);
    std::vector<index_t> diagonals;
    diagonals.reserve(words[words.size() - 1]);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        for (unsigned left = words[i]; left != 0; left &= left - 1) {
            const offset_t number = static_cast<offset_t>(i) * kWordBits + std::countr_zero(left);
            diagonals.push_back(static_cast<index_t>(number - a.rows + 1));
        }
    }
    return diagonals;
}

}  // namespace tilespmv::cuda
