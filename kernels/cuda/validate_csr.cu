#include "kernels/source.hpp"

#include <algorithm>
#include <span>

#include <cub/block/block_reduce.cuh>

#include "kernels/cuda/download.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/pinned_memory.hpp"
#include "kernels/cuda/tuning.hpp"
#include "tile/csr.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;
constexpr offset_t kMostBlocks = 1 << 10;  ///< whose sums the host adds up
constexpr offset_t kOfThread = 4;          ///< nonzeros, where there are fewer blocks

/// What is found. Columns ascend within rows if every nonzero whose column is not above that of the nonzero before it
/// is the first one of its row.
struct PatternSums {
    unsigned long long wrong = 0;             ///< row pointers and columns out of range
    unsigned long long descents = 0;          ///< nonzeros whose column is not above the one before, ...
    unsigned long long descents_of_rows = 0;  ///< ... and those that begin a row
};

template <class P>
struct PatternToCheck {
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    PatternSums* sums = nullptr;  ///< of each block, in memory of the host

    [[nodiscard]] __device__ bool descends(offset_t i) const { return i > 0 && col_idxs[i] <= col_idxs[i - 1]; }
};

/// In the first thread.
__device__ unsigned long long sum_of_block(unsigned long long of_thread) {
    using Reduce = cub::BlockReduce<unsigned long long, kThreads>;
    __shared__ typename Reduce::TempStorage storage;
    const auto of_block = Reduce(storage).Sum(of_thread);
    __syncthreads();  // before the storage is used again
    return of_block;
}

template <class P>
__global__ void __launch_bounds__(kThreads) check_pattern(PatternToCheck<P> p) {
    unsigned wrong = 0;
    unsigned descents = 0;
    unsigned descents_of_rows = 0;
    for (offset_t row = offset_t{blockIdx.x} * kThreads + threadIdx.x; row < p.rows;
         row += offset_t{gridDim.x} * kThreads) {
        const offset_t begin = p.row_ptrs[row];
        const offset_t end = p.row_ptrs[row + 1];
        const bool is_wrong =
            begin < 0 || begin > end || end > p.nnz || (row == 0 && begin != 0) || (row == p.rows - 1 && end != p.nnz);
        wrong += is_wrong ? 1 : 0;
        descents_of_rows += !is_wrong && begin < end && p.descends(begin) ? 1 : 0;
    }
    for (offset_t i = offset_t{blockIdx.x} * kThreads + threadIdx.x; i < p.nnz; i += offset_t{gridDim.x} * kThreads) {
        wrong += p.col_idxs[i] < 0 || p.col_idxs[i] >= p.cols ? 1 : 0;
        descents += p.descends(i) ? 1 : 0;
    }
    const PatternSums sums{sum_of_block(wrong), sum_of_block(descents), sum_of_block(descents_of_rows)};
    if (threadIdx.x == 0) p.sums[blockIdx.x] = sums;
}

template <class P>
bool is_right(PatternToCheck<P> p, cudaStream_t stream) {
    const offset_t longest = std::max(offset_t{p.rows}, p.nnz);
    const offset_t blocks = std::min(div_up(longest, kThreads * kOfThread), kMostBlocks);
    const PinnedMemory found(static_cast<std::size_t>(blocks) * sizeof(PatternSums));
    p.sums = reinterpret_cast<PatternSums*>(found.data());
    launch(check_pattern<P>, blocks, kThreads, p, stream);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    PatternSums sums;
    for (const PatternSums& block : std::span(p.sums, static_cast<std::size_t>(blocks))) {
        sums.wrong += block.wrong;
        sums.descents += block.descents;
        sums.descents_of_rows += block.descents_of_rows;
    }
    return sums.wrong == 0 && sums.descents == sums.descents_of_rows && (p.rows > 0 || p.nnz == 0);
}

}  // namespace

void validate_pattern(const DevicePattern& a, cudaStream_t stream) {
    const auto values = static_cast<const float*>(a.values);  // not read
    const DeviceCsrView<float> view{a.rows, a.cols, a.nnz, a.row_ptrs, a.col_idxs, values};
    require_in_device_memory(view);
    const bool right = std::visit(
        [&]<class P>(const P* row_ptrs) {
            return is_right(PatternToCheck<P>{a.rows, a.cols, a.nnz, row_ptrs, a.col_idxs}, stream);
        },
        a.row_ptrs);
    if (right) return;
    auto row_ptrs = download_row_ptrs(view, stream);
    const CsrMatrix<float> host{a.rows, a.cols, std::move(row_ptrs), download(a.col_idxs, a.nnz, stream),
                                Buffer<float>::view(nullptr, static_cast<std::size_t>(a.nnz), nullptr)};
    validate(host);
}

}  // namespace tilespmv::cuda
