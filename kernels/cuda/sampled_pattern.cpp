#include "kernels/cuda/sampled_pattern.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/device_diagonals.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/gather_columns.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

/// Addresses for so many columns, which get memory, in small pages, where they are written.
std::shared_ptr<index_t> addresses_for(offset_t count) {
    const auto bytes = static_cast<std::size_t>(std::max<offset_t>(count, 1)) * sizeof(index_t);
    void* const reserved =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) throw Error("no addresses for " + std::to_string(bytes) + " bytes of columns");
    static_cast<void>(madvise(reserved, bytes, MADV_NOHUGEPAGE));
    return {static_cast<index_t*>(reserved), [bytes](index_t* p) { munmap(p, bytes); }};
}

/// What these ranges hold, in ascending order and nothing twice.
ColumnRanges without_overlaps(ColumnRanges ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.data() < b.data(); });
    ColumnRanges all;
    const index_t* done = nullptr;
    for (const auto& range : ranges) {
        const index_t* const first = std::max(done, range.data());
        const index_t* const end = range.data() + range.size();
        if (first >= end) continue;
        if (first == done) {
            all.back() = {all.back().data(), end};
        } else {
            all.emplace_back(first, end);
        }
        done = end;
    }
    return all;
}

}  // namespace

template <class V>
SampledPattern::SampledPattern(const Source<V>& source, const DeviceContext& on)
    : columns_(addresses_for(source.nnz())) {
    const Buffer<offset_t>& row_ptrs = source.row_ptrs();
    const DevicePattern there = pattern_of(*source.find_device_csr());
    view_ = {.rows = source.rows(),
             .cols = source.cols(),
             .row_ptrs = {row_ptrs.data(), row_ptrs.size()},
             .col_idxs = {columns_.get(), static_cast<std::size_t>(source.nnz())},
             .value_bytes = sizeof(V)};
    if (source.nnz() > kMostUnsampled) {
        int device = 0;
        TILESPMV_CUDA(cudaGetDevice(&device));
        view_.count_diagonals = [there, on, device] {
            TILESPMV_CUDA(cudaSetDevice(device));                     // another thread may ask
            return count_diagonals(there, DeviceContext(on.stream));  // memory of ours, which any thread may ask for
        };
    }
    source.add_bytes_to_host(fetch(there.col_idxs, on));
}

std::size_t SampledPattern::fetch(const index_t* there, const DeviceContext& on) {
    if (!view_.count_diagonals) {
        copy_to_host(columns_.get(), there, view_.col_idxs.size_bytes(), on.stream);
        return view_.col_idxs.size_bytes();
    }
    const ColumnRanges here = without_overlaps(sampled_columns(view_));
    ColumnRanges ranges;
    for (const auto& range : here) ranges.emplace_back(there + (range.data() - columns_.get()), range.size());
    const Buffer<index_t> gathered = gather_columns(ranges, on);
    const ColumnRanges found = ranges_in(gathered, ranges);
    for (std::size_t i = 0; i < here.size(); ++i)
        std::ranges::copy(found[i], columns_.get() + (here[i].data() - columns_.get()));
    return gathered.bytes();
}

#define TILESPMV_INSTANTIATE(V) template SampledPattern::SampledPattern(const Source<V>&, const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
