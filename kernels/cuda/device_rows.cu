#include "kernels/cuda/device_rows.hpp"

#include <algorithm>
#include <array>

#include "kernels/cuda/download.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;
constexpr offset_t kMostBlocks = 1 << 10;  ///< each of which adds to the sums once
constexpr int kRounds = std::tuple_size_v<RowLengths>;
using Sum = unsigned long long;

/// What is added up over all rows.
enum RowSum : int {
    kWrong,  ///< row pointers
    kCounted,
    kNonzeros,  ///< of those that are counted
    kSquares,   ///< of lengths
    kEven,      ///< nonzeros of even tile rows
    kTileRows,  ///< with nonzeros
    kEmpty,
    kRoundsOf,  ///< kRounds of them
    kLanesOf = kRoundsOf + kRounds,
    kSums = kLanesOf + kRounds,
};

struct RowFindings {
    Sum sums[kSums]{};
    Sum longest = 0;

    [[nodiscard]] offset_t of(int sum) const { return static_cast<offset_t>(sums[sum]); }
};

template <class P>
struct RowsToCount {
    index_t rows = 0;
    offset_t nnz = 0;
    const P* row_ptrs = nullptr;
    RowFindings* found = nullptr;
    /// Null, or the first of the rows that have the same columns one after the other: then one of each `most_rows` of
    /// them is counted.
    const index_t* first_alike = nullptr;
    int most_rows = 1;

    [[nodiscard]] __device__ bool counts(offset_t row) const {
        return row < rows && (first_alike == nullptr || (row - first_alike[row]) % most_rows == 0);
    }
};

/// A row of this many nonzeros, as `RowStatistics` counts it.
__device__ void add_row(offset_t length, Sum (&sums)[kSums]) {
    const auto nonzeros = static_cast<Sum>(length);
    ++sums[kCounted];
    sums[kNonzeros] += nonzeros;
    sums[kSquares] += nonzeros * nonzeros;
    sums[kEmpty] += length == 0 ? 1 : 0;
#pragma unroll
    for (int i = 0; i < kRounds; ++i) {
        const int steps = 2 << i;
        sums[kRoundsOf + i] += static_cast<Sum>(length <= steps ? 1 : (length + steps - 1) / steps);
        sums[kLanesOf + i] += static_cast<Sum>(sell_lanes(length, steps));
    }
}

/// A tile row: 16 neighbouring lanes, of which one counts it.
__device__ void add_tile_row(offset_t length, bool is_row, Sum (&sums)[kSums]) {
    const unsigned half = threadIdx.x % kWarpSize / kTileSize * kTileSize;
    const unsigned lanes = 0xffffU << half;
    const offset_t first = __shfl_sync(kAllLanes, length, static_cast<int>(half));
    const unsigned alike = __ballot_sync(kAllLanes, is_row && length == first);
    const unsigned filled = __ballot_sync(kAllLanes, length > 0);
    if (threadIdx.x % kTileSize != 0) return;
    sums[kTileRows] += (filled & lanes) != 0 ? 1 : 0;
    const bool is_even = (alike & lanes) == lanes && length > 0 && length % kTileSize == 0;
    sums[kEven] += is_even ? static_cast<Sum>(kTileSize * length) : 0;
}

template <class P>
__global__ void __launch_bounds__(kThreads) count_rows(RowsToCount<P> p) {
    Sum sums[kSums]{};
    Sum longest = 0;
    for (offset_t first = offset_t{blockIdx.x} * kThreads; first < p.rows; first += offset_t{gridDim.x} * kThreads) {
        const offset_t row = first + threadIdx.x;
        const bool is_row = row < p.rows;
        const offset_t begin = is_row ? static_cast<offset_t>(p.row_ptrs[row]) : 0;
        const offset_t end = is_row ? static_cast<offset_t>(p.row_ptrs[row + 1]) : 0;
        const bool is_wrong =
            begin < 0 || begin > end || end > p.nnz || (row == 0 && begin != 0) || (row == p.rows - 1 && end != p.nnz);
        const offset_t length = is_wrong ? 0 : end - begin;
        sums[kWrong] += is_wrong && is_row ? 1 : 0;
        add_tile_row(length, is_row, sums);
        if (!p.counts(row)) continue;
        add_row(length, sums);
        longest = max(longest, static_cast<Sum>(length));
    }
    __shared__ Sum of_block[kSums + 1];  // the longest one last
    if (threadIdx.x <= kSums) of_block[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
        const Sum of_warp = sum_of_warp(sums[i]);
        if (threadIdx.x % kWarpSize == 0 && of_warp > 0) atomicAdd(of_block + i, of_warp);
    }
    atomicMax(of_block + kSums, longest);
    __syncthreads();
    if (threadIdx.x < kSums) atomicAdd(p.found->sums + threadIdx.x, of_block[threadIdx.x]);
    if (threadIdx.x == kSums) atomicMax(&p.found->longest, of_block[kSums]);
}
static_assert(kSums < kThreads);

template <class P>
void launch_count(const RowsToCount<P>& p, cudaStream_t stream) {
    const offset_t blocks = std::min(div_up(offset_t{p.rows}, offset_t{kThreads}), kMostBlocks);
    launch(count_rows<P>, blocks, kThreads, p, stream);
}

RowFindings find(const DevicePattern& a, cudaStream_t stream) {
    const DeviceBuffer<RowFindings> there(1, stream);
    TILESPMV_CUDA(cudaMemsetAsync(there.data(), 0, there.bytes(), stream));
    std::visit(
        [&]<class P>(const P* row_ptrs) {
            launch_count(RowsToCount<P>{a.rows, a.nnz, row_ptrs, there.data()}, stream);
        },
        a.row_ptrs);
    RowFindings found;
    there.download({&found, 1}, stream);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    return found;
}

RowStatistics statistics_of(const RowFindings& found) {
    RowStatistics of_rows{.squares = static_cast<double>(found.sums[kSquares]),
                          .longest = static_cast<offset_t>(found.longest),
                          .empty = found.of(kEmpty),
                          .even = found.of(kEven),
                          .tile_rows = found.of(kTileRows)};
    for (int i = 0; i < kRounds; ++i) {
        RowRounds& rounds = of_rows.rounds[static_cast<std::size_t>(i)];
        rounds.nonzeros = 2 << i;
        rounds.all = found.of(kRoundsOf + i);
        rounds.lanes = found.of(kLanesOf + i);
        rounds.longest =
            rounds.all == 0 ? 0 : std::max(div_up(of_rows.longest, offset_t{rounds.nonzeros}), offset_t{1});
    }
    return of_rows;
}

template <class P, class T>
struct RowPtrsToCopy {
    const P* from = nullptr;
    offset_t count = 0;
    T* to = nullptr;
};

template <class P, class T>
__global__ void __launch_bounds__(kThreads) copy_all(RowPtrsToCopy<P, T> p) {
    const offset_t i = offset_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < p.count) p.to[i] = static_cast<T>(p.from[i]);
}

template <class T>
void copy(const DevicePattern& a, T* to, cudaStream_t stream) {
    std::visit(
        [&]<class P>(const P* from) {
            const RowPtrsToCopy<P, T> p{from, offset_t{a.rows} + 1, to};
            launch(copy_all<P, T>, div_up(p.count, offset_t{kThreads}), kThreads, p, stream);
        },
        a.row_ptrs);
}

}  // namespace

template <class V>
RowStatistics row_statistics_there(const DeviceCsrView<V>& a, cudaStream_t stream) {
    require_in_device_memory(a);
    const RowFindings found = find(pattern_of(a), stream);
    const bool is_right = found.of(kWrong) == 0 && (a.rows > 0 || a.nnz == 0);
    if (!is_right) static_cast<void>(download_row_ptrs(a, stream));  // which says what is wrong
    return statistics_of(found);
}

std::array<InodesThere, kInodeRows.size()> count_inodes(const offset_t* row_ptrs, const index_t* first_alike,
                                                        index_t rows, offset_t nnz, cudaStream_t stream) {
    std::array<RowFindings, kInodeRows.size()> found;
    const DeviceBuffer<RowFindings> there(found.size(), stream);
    TILESPMV_CUDA(cudaMemsetAsync(there.data(), 0, there.bytes(), stream));
    for (std::size_t i = 0; i < found.size(); ++i) {
        const RowsToCount<offset_t> p{rows, nnz, row_ptrs, there.data() + i, first_alike, kInodeRows[i]};
        launch_count(p, stream);
    }
    there.download(found, stream);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    std::array<InodesThere, kInodeRows.size()> inodes;
    std::ranges::transform(found, inodes.begin(), [](const RowFindings& one) {
        return InodesThere{{one.of(kCounted), statistics_of(one).rounds}, one.of(kNonzeros)};
    });
    return inodes;
}

void copy_row_ptrs(const DevicePattern& a, offset_t* to, cudaStream_t stream) { copy(a, to, stream); }
void copy_row_ptrs(const DevicePattern& a, std::uint32_t* to, cudaStream_t stream) { copy(a, to, stream); }

#define TILESPMV_INSTANTIATE(V) template RowStatistics row_statistics_there(const DeviceCsrView<V>&, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
