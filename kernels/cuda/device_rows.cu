#include "kernels/cuda/device_rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernels/cuda/download.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/pinned_memory.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;
constexpr int kCountThreads = 512;
constexpr int kCountWarps = kCountThreads / kWarpSize;
constexpr offset_t kMostBlocks = 256;   ///< that count
constexpr offset_t kFewBlocks = 64;     ///< of which the host reads fast what they find, ...
constexpr offset_t kRowsOfMore = 2048;  ///< ... up to so many rows each
constexpr int kRounds = std::tuple_size_v<RowLengths>;
using Wide = unsigned long long;

/// What is found of all rows.
enum RowFinding : int {
    kWrong,  ///< row pointers
    kCounted,
    kNonzeros,  ///< of those that are counted
    kEven,      ///< nonzeros of even tile rows
    kTileRows,  ///< with nonzeros
    kEmpty,
    kRoundsOf,  ///< kRounds of them
    kLanesOf = kRoundsOf + kRounds,
    kSums = kLanesOf + kRounds,  ///< none of which exceeds rows and nonzeros together
    kSquares = kSums,            ///< the sum of the squares of lengths
    kLongest,
    kFindings,
};

struct RowFindings {
    Wide found[kFindings]{};

    [[nodiscard]] offset_t of(int finding) const { return static_cast<offset_t>(found[finding]); }
};

template <class P>
struct RowsToCount {
    index_t rows = 0;
    offset_t nnz = 0;
    const P* row_ptrs = nullptr;
    /// Null, or the first of the rows that have the same columns one after the other: then one of so many of them is
    /// counted, in each of `ways` ways of one more.
    const index_t* first_alike = nullptr;
    int least_rows = 1;
    unsigned ways = 1;
    Wide* found = nullptr;  ///< kFindings of each block

    [[nodiscard]] __device__ bool counts(offset_t row, unsigned way) const {
        const auto rows_of_one = static_cast<int>(least_rows + way);
        return row < rows && (first_alike == nullptr || (row - first_alike[row]) % rows_of_one == 0);
    }
};

/// The logarithm of the least power of 2 that is not below this length.
__device__ int log_of_power(unsigned length) { return length <= 1 ? 0 : 32 - __clz(static_cast<int>(length - 1)); }
__device__ int log_of_power(Wide length) { return length <= 1 ? 0 : 64 - __clzll(static_cast<long long>(length - 1)); }

/// A row of this many nonzeros, as `RowStatistics` counts it.
template <class Sum>
__device__ void add_row(Sum length, Sum (&sums)[kSums]) {
    constexpr Sum kLanesOfBlock = 256;  // a row of more is what `sell_lanes` says, others have a power of 2
    static_assert(sell_lanes(2 * kLanesOfBlock, 2) == kLanesOfBlock &&
                  sell_lanes(2 * kLanesOfBlock + 1, 2) == kLanesOfBlock);
    ++sums[kCounted];
    sums[kNonzeros] += length;
    sums[kEmpty] += length == 0 ? 1 : 0;
    const int log = log_of_power(length);
#pragma unroll
    for (int i = 0; i < kRounds; ++i) {
        const int steps = 2 << i;
        const Sum rounds = max((length + steps - 1) >> (i + 1), Sum{1});
        sums[kRoundsOf + i] += rounds;
        if (rounds > kLanesOfBlock) {
            sums[kLanesOf + i] += static_cast<Sum>(sell_lanes(static_cast<offset_t>(length), steps));
        } else {
            sums[kLanesOf + i] += length == 0 ? 0 : Sum{1} << max(log - (i + 1), 0);
        }
    }
}

/// A tile row: 16 neighbouring lanes, of which one counts it.
template <class Sum>
__device__ void add_tile_row(Sum length, bool is_row, Sum (&sums)[kSums]) {
    const unsigned half = threadIdx.x % kWarpSize / kTileSize * kTileSize;
    const unsigned lanes = 0xffffU << half;
    const Sum first = __shfl_sync(kAllLanes, length, static_cast<int>(half));
    const unsigned alike = __ballot_sync(kAllLanes, is_row && length == first);
    const unsigned filled = __ballot_sync(kAllLanes, length > 0);
    if (threadIdx.x % kTileSize != 0) return;
    sums[kTileRows] += (filled & lanes) != 0 ? 1 : 0;
    const bool is_even = (alike & lanes) == lanes && length > 0 && length % kTileSize == 0;
    sums[kEven] += is_even ? kTileSize * length : 0;
}

__device__ Wide longest_of_warp(Wide length) {
    for (int step = kWarpSize / 2; step > 0; step /= 2) length = max(length, __shfl_xor_sync(kAllLanes, length, step));
    return length;
}

/// Sum: a type that rows and nonzeros fit together. Half the registers and shuffles where it has 32 bits.
template <class P, class Sum>
__global__ void __launch_bounds__(kCountThreads) count_rows(RowsToCount<P> p) {
    Sum sums[kSums]{};
    Wide squares = 0;
    Wide longest = 0;
    const unsigned blocks = gridDim.x / p.ways;
    const unsigned way = blockIdx.x / blocks;
    for (offset_t first = offset_t{blockIdx.x % blocks} * kCountThreads; first < p.rows;
         first += offset_t{blocks} * kCountThreads) {
        const offset_t row = first + threadIdx.x;
        const bool is_row = row < p.rows;
        const offset_t begin = is_row ? static_cast<offset_t>(p.row_ptrs[row]) : 0;
        const offset_t end = is_row ? static_cast<offset_t>(p.row_ptrs[row + 1]) : 0;
        const bool is_wrong =
            begin < 0 || begin > end || end > p.nnz || (row == 0 && begin != 0) || (row == p.rows - 1 && end != p.nnz);
        const auto length = static_cast<Sum>(is_wrong ? 0 : end - begin);
        sums[kWrong] += is_wrong && is_row ? 1 : 0;
        add_tile_row(length, is_row, sums);
        if (p.counts(row, way)) {
            add_row(length, sums);
            squares += Wide{length} * length;
            longest = max(longest, Wide{length});
        }
        __syncwarp();
    }
    __shared__ Wide of_warps[kCountWarps][kFindings];
    const unsigned warp = threadIdx.x / kWarpSize;
    const bool is_first = threadIdx.x % kWarpSize == 0;
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
        const Sum of_warp = sum_of_warp(sums[i]);
        if (is_first) of_warps[warp][i] = of_warp;
    }
    squares = sum_of_warp(squares);
    longest = longest_of_warp(longest);
    if (is_first) of_warps[warp][kSquares] = squares;
    if (is_first) of_warps[warp][kLongest] = longest;
    __syncthreads();
    if (threadIdx.x >= kFindings) return;
    Wide all = 0;
    for (const auto& found : of_warps) {
        const Wide one = found[threadIdx.x];
        all = threadIdx.x == kLongest ? max(all, one) : all + one;
    }
    p.found[offset_t{blockIdx.x} * kFindings + threadIdx.x] = all;
}
static_assert(kFindings <= kCountThreads);

/// What one kernel finds in each way. Blocks write it to memory of the host, which adds it up: memory of the device had
/// to be set to 0, added to by atomics that wait for each other, and copied. Waits for the stream.
template <class P>
std::vector<RowFindings> count(RowsToCount<P> p, cudaStream_t stream) {
    const offset_t most = std::clamp(p.rows / kRowsOfMore, kFewBlocks / p.ways, kMostBlocks);
    const offset_t blocks = std::min(div_up(offset_t{p.rows}, offset_t{kCountThreads}), most);
    const PinnedMemory memory(p.ways * static_cast<std::size_t>(blocks) * sizeof(RowFindings));
    const auto* block = reinterpret_cast<RowFindings*>(memory.data());
    p.found = reinterpret_cast<Wide*>(memory.data());
    const bool is_narrow = p.nnz + p.rows <= std::numeric_limits<unsigned>::max();
    launch(is_narrow ? count_rows<P, unsigned> : count_rows<P, Wide>, blocks * p.ways, kCountThreads, p, stream);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    std::vector<RowFindings> found(p.ways);
    for (RowFindings& all : found) {
        for (const RowFindings* const end = block + blocks; block != end; ++block) {
            for (int i = 0; i < kLongest; ++i) all.found[i] += block->found[i];
            all.found[kLongest] = std::max(all.found[kLongest], block->found[kLongest]);
        }
    }
    return found;
}

RowStatistics statistics_of(const RowFindings& found) {
    RowStatistics of_rows{.squares = static_cast<double>(found.found[kSquares]),
                          .longest = found.of(kLongest),
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
    const RowFindings found = std::visit(
        [&]<class P>(const P* row_ptrs) {
            return count(RowsToCount<P>{a.rows, a.nnz, row_ptrs}, stream);
        },
        a.row_ptrs)[0];
    const bool is_right = found.of(kWrong) == 0 && (a.rows > 0 || a.nnz == 0);
    if (!is_right) static_cast<void>(download_row_ptrs(a, stream));  // which says what is wrong
    return statistics_of(found);
}

std::array<InodesThere, kInodeRows.size()> count_inodes(const offset_t* row_ptrs, const index_t* first_alike,
                                                        index_t rows, offset_t nnz, cudaStream_t stream) {
    static_assert(kInodeRows.back() - kInodeRows.front() + 1 == std::ssize(kInodeRows));
    const auto counted =
        count(RowsToCount<offset_t>{rows, nnz, row_ptrs, first_alike, kInodeRows.front(), unsigned{kInodeRows.size()}},
              stream);
    std::array<InodesThere, kInodeRows.size()> inodes;
    for (std::size_t i = 0; i < inodes.size(); ++i) {
        const RowFindings& one = counted[i];
        inodes[i] = {{one.of(kCounted), statistics_of(one).rounds}, one.of(kNonzeros)};
    }
    return inodes;
}

void copy_row_ptrs(const DevicePattern& a, offset_t* to, cudaStream_t stream) { copy(a, to, stream); }
void copy_row_ptrs(const DevicePattern& a, std::uint32_t* to, cudaStream_t stream) { copy(a, to, stream); }

#define TILESPMV_INSTANTIATE(V) template RowStatistics row_statistics_there(const DeviceCsrView<V>&, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
