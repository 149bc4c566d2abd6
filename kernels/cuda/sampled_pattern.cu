#include "kernels/cuda/sampled_pattern.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;

/// Consecutive columns that a block of threads copies.
struct ColumnPart {
    offset_t from = 0;
    offset_t to = 0;
    offset_t size = 0;
};
constexpr offset_t kMostOfPart = 2048;

struct PartsToGather {
    const index_t* columns = nullptr;
    const ColumnPart* parts = nullptr;
    index_t* gathered = nullptr;
};

__global__ void __launch_bounds__(kThreads) gather_parts(PartsToGather p) {
    const ColumnPart part = p.parts[blockIdx.x];
    for (offset_t i = threadIdx.x; i < part.size; i += kThreads) p.gathered[part.to + i] = p.columns[part.from + i];
}

template <class P>
struct DiagonalsToCount {
    index_t rows = 0;
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    unsigned* met = nullptr;  ///< a bit for each diagonal, that of the lower left corner first
    unsigned long long* count = nullptr;
};

/// A warp for each row.
template <class P>
__global__ void __launch_bounds__(kThreads) count_diagonals(DiagonalsToCount<P> p) {
    const offset_t row = (offset_t{blockIdx.x} * kThreads + threadIdx.x) / kWarpSize;
    if (row >= p.rows) return;
    const offset_t end = p.row_ptrs[row + 1];
    for (offset_t k = p.row_ptrs[row] + threadIdx.x % kWarpSize; k < end; k += kWarpSize) {
        const offset_t number = p.col_idxs[k] - row + p.rows - 1;
        volatile unsigned* const word = p.met + number / 32;
        const unsigned bit = 1U << (number % 32);
        if ((*word & bit) == 0 && (atomicOr(p.met + number / 32, bit) & bit) == 0) atomicAdd(p.count, 1ULL);
    }
}

template <class V>
offset_t count_diagonals(const DeviceCsrView<V>& a, const DeviceContext& on) {
    const DeviceBuffer<unsigned> met(static_cast<std::size_t>((offset_t{a.rows} + a.cols) / 32 + 1), on);
    const DeviceBuffer<unsigned long long> count(1, on);
    TILESPMV_CUDA(cudaMemsetAsync(met.data(), 0, met.bytes(), on.stream));
    TILESPMV_CUDA(cudaMemsetAsync(count.data(), 0, count.bytes(), on.stream));
    std::visit(
        [&]<class P>(const P* row_ptrs) {
            const DiagonalsToCount<P> p{a.rows, row_ptrs, a.col_idxs, met.data(), count.data()};
            launch(count_diagonals<P>, div_up(offset_t{a.rows} * kWarpSize, offset_t{kThreads}), kThreads, p,
                   on.stream);
        },
        a.row_ptrs);
    unsigned long long host = 0;
    count.download({&host, 1}, on.stream);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    return static_cast<offset_t>(host);
}

/// Addresses for so many columns, which get memory, in small pages, where they are written.
std::shared_ptr<index_t> addresses_for(offset_t count) {
    const auto bytes = static_cast<std::size_t>(std::max<offset_t>(count, 1)) * sizeof(index_t);
    void* const reserved =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) throw Error("no addresses for " + std::to_string(bytes) + " bytes of columns");
    static_cast<void>(madvise(reserved, bytes, MADV_NOHUGEPAGE));
    return {static_cast<index_t*>(reserved), [bytes](index_t* p) { munmap(p, bytes); }};
}

/// The parts of these ranges, which begin at `first`, in ascending order, none of them twice.
std::vector<ColumnPart> parts_of(ColumnRanges ranges, const index_t* first) {
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.data() < b.data(); });
    std::vector<ColumnPart> parts;
    offset_t done = 0;  // of the columns
    offset_t gathered = 0;
    for (const auto& range : ranges) {
        const offset_t end = range.data() - first + std::ssize(range);
        for (done = std::max<offset_t>(done, range.data() - first); done < end;) {
            const offset_t size = std::min(end - done, kMostOfPart);
            parts.push_back({done, gathered, size});
            done += size;
            gathered += size;
        }
    }
    return parts;
}

}  // namespace

template <class V>
SampledPattern::SampledPattern(const Source<V>& source, const DeviceContext& on)
    : columns_(addresses_for(source.nnz())) {
    const Buffer<offset_t>& row_ptrs = source.row_ptrs();
    const DeviceCsrView<V> there = *source.find_device_csr();
    view_ = {.rows = source.rows(),
             .cols = source.cols(),
             .row_ptrs = {row_ptrs.data(), row_ptrs.size()},
             .col_idxs = {columns_.get(), static_cast<std::size_t>(source.nnz())},
             .value_bytes = sizeof(V)};
    if (source.nnz() > kMostUnsampled) {
        int device = 0;
        TILESPMV_CUDA(cudaGetDevice(&device));
        view_.count_diagonals = [there, on, device] {
            TILESPMV_CUDA(cudaSetDevice(device));  // another thread may ask
            return count_diagonals(there, on);
        };
    }
    source.add_bytes_to_host(fetch(there.col_idxs, on));
}

std::size_t SampledPattern::fetch(const index_t* there, const DeviceContext& on) {
    if (!view_.count_diagonals) {
        copy_to_host(columns_.get(), there, view_.col_idxs.size_bytes(), on.stream);
        return view_.col_idxs.size_bytes();
    }
    const std::vector<ColumnPart> parts = parts_of(sampled_columns(view_), columns_.get());
    const auto size = static_cast<std::size_t>(parts.back().to + parts.back().size);
    const DeviceBuffer<ColumnPart> parts_there(std::span<const ColumnPart>(parts), on);
    const DeviceBuffer<index_t> gathered(size, on);
    const PartsToGather p{there, parts_there.data(), gathered.data()};
    launch(gather_parts, std::ssize(parts), kThreads, p, on.stream);
    Buffer<index_t> host(size);
    copy_to_host(host.data(), gathered.data(), gathered.bytes(), on.stream);
    for (const ColumnPart& part : parts) {
        std::memcpy(columns_.get() + part.from, host.data() + part.to,
                    static_cast<std::size_t>(part.size) * sizeof(index_t));
    }
    return gathered.bytes();
}

#define TILESPMV_INSTANTIATE(V) template SampledPattern::SampledPattern(const Source<V>&, const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
