#include "kernels/cuda/greedy_cut.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sort_pairs.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kChunk = kMostCutRows;  ///< rows: a piece that begins in a chunk ends in the next one at the latest
constexpr int kEach = kChunk / kThreads;

struct Cut {
    index_t rows = 0;
    std::int64_t chunks = 0;
    std::int64_t range_chunks = 0;  ///< of a range
    std::int64_t ranges = 0;
    const index_t* ends = nullptr;
    index_t* exits = nullptr;          ///< of each row: the first row of a piece behind its chunk
    index_t* far_exits = nullptr;      ///< of the rows of the first chunk of each range: the one behind the range
    index_t* range_entries = nullptr;  ///< the first row of a piece in each range, ...
    index_t* chunk_entries = nullptr;  ///< ... and in each chunk; `rows` of a short last one that has none
    std::uint8_t* is_start = nullptr;  ///< of each row

    [[nodiscard]] TILESPMV_HD offset_t range_begin(std::int64_t range) const { return range * range_chunks * kChunk; }
    [[nodiscard]] TILESPMV_HD offset_t end_of(std::int64_t next_begin) const {
        return next_begin < rows ? next_begin : offset_t{rows};
    }
};

/// A block for each chunk.
__global__ void __launch_bounds__(kThreads) follow_rows(Cut p) {
    __shared__ index_t to[kChunk];
    const offset_t begin = offset_t{blockIdx.x} * kChunk;
    const offset_t end = p.end_of(begin + kChunk);
    for (int i = static_cast<int>(threadIdx.x); i < kChunk; i += kThreads)
        to[i] = begin + i < end ? p.ends[begin + i] : p.rows;
    __syncthreads();
    while (true) {
        index_t next[kEach];
        bool goes_on = false;
        for (int k = 0; k < kEach; ++k) {
            next[k] = to[static_cast<int>(threadIdx.x) + k * kThreads];
            if (next[k] >= end) continue;
            next[k] = to[next[k] - begin];
            goes_on = true;
        }
        if (__syncthreads_or(goes_on) == 0) break;
        for (int k = 0; k < kEach; ++k) to[static_cast<int>(threadIdx.x) + k * kThreads] = next[k];
        __syncthreads();
    }
    for (int i = static_cast<int>(threadIdx.x); begin + i < end; i += kThreads) p.exits[begin + i] = to[i];
}

/// A thread for each row of the first chunk of a range.
__global__ void __launch_bounds__(kThreads) follow_chunks(Cut p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    const std::int64_t range = i / kChunk;
    if (range >= p.ranges) return;
    const offset_t row = p.range_begin(range) + i % kChunk;
    if (row >= p.rows) return;
    const offset_t end = p.end_of(p.range_begin(range + 1));
    auto at = static_cast<index_t>(row);
    while (at < end) at = p.exits[at];
    p.far_exits[i] = at;
}

/// One thread.
__global__ void enter_ranges(Cut p) {
    index_t at = 0;
    for (std::int64_t range = 0; range < p.ranges; ++range) {
        p.range_entries[range] = at;
        if (at < p.rows) at = p.far_exits[range * kChunk + (at - p.range_begin(range))];
    }
}

/// A thread for each range.
__global__ void __launch_bounds__(kThreads) enter_chunks(Cut p) {
    const std::int64_t range = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    if (range >= p.ranges) return;
    const std::int64_t first = range * p.range_chunks;
    const std::int64_t end = first + p.range_chunks < p.chunks ? first + p.range_chunks : p.chunks;
    index_t at = p.range_entries[range];
    for (std::int64_t chunk = first; chunk < end; ++chunk) {
        p.chunk_entries[chunk] = at;
        if (at < p.rows) at = p.exits[at];
    }
}

/// A block for each chunk, of which one thread goes from piece to piece.
__global__ void __launch_bounds__(kThreads) mark_starts(Cut p) {
    __shared__ index_t ends[kChunk];
    __shared__ std::uint8_t is_start[kChunk];
    const offset_t begin = offset_t{blockIdx.x} * kChunk;
    const offset_t end = p.end_of(begin + kChunk);
    for (int i = static_cast<int>(threadIdx.x); begin + i < end; i += kThreads) {
        ends[i] = p.ends[begin + i];
        is_start[i] = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (index_t at = p.chunk_entries[blockIdx.x]; at < end; at = ends[at - begin]) is_start[at - begin] = 1;
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); begin + i < end; i += kThreads) p.is_start[begin + i] = is_start[i];
}

}  // namespace

DeviceBuffer<index_t> greedy_starts(const DeviceBuffer<index_t>& ends, const DeviceContext& on) {
    const std::size_t rows = ends.size();
    if (rows == 0) return {};
    Cut p{.rows = static_cast<index_t>(rows), .ends = ends.data()};
    p.chunks = div_up(std::int64_t{p.rows}, std::int64_t{kChunk});
    p.range_chunks = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(p.chunks))));
    p.ranges = div_up(p.chunks, p.range_chunks);
    DeviceBuffer<index_t> exits(rows, on);
    const DeviceBuffer<index_t> far_exits(static_cast<std::size_t>(p.ranges * kChunk), on);
    const DeviceBuffer<index_t> range_entries(static_cast<std::size_t>(p.ranges), on);
    const DeviceBuffer<index_t> chunk_entries(static_cast<std::size_t>(p.chunks), on);
    const DeviceBuffer<std::uint8_t> is_start(rows, on);
    p.exits = exits.data();
    p.far_exits = far_exits.data();
    p.range_entries = range_entries.data();
    p.chunk_entries = chunk_entries.data();
    p.is_start = is_start.data();
    launch(follow_rows, p.chunks, kThreads, p, on.stream);
    launch(follow_chunks, p.ranges * kEach, kThreads, p, on.stream);
    launch(enter_ranges, 1, 1, p, on.stream);
    launch(enter_chunks, div_up(p.ranges, std::int64_t{kThreads}), kThreads, p, on.stream);
    launch(mark_starts, p.chunks, kThreads, p, on.stream);
    const DeviceBuffer<std::int64_t> found(1, on);
    index_t* const starts = exits.data();  // which nobody needs any more
    with_cub_workspace(
        [&](void* workspace, std::size_t& bytes) {
            return cub::DeviceSelect::Flagged(workspace, bytes, thrust::counting_iterator<index_t>(0), is_start.data(),
                                              starts, found.data(), p.rows, on.stream);
        },
        on);
    std::int64_t count = 0;
    found.download({&count, 1}, on.stream);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    DeviceBuffer<index_t> all(static_cast<std::size_t>(count), on);
    TILESPMV_CUDA(cudaMemcpyAsync(all.data(), starts, all.bytes(), cudaMemcpyDeviceToDevice, on.stream));
    return all;
}

}  // namespace tilespmv::cuda
