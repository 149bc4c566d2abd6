#include "kernels/cuda/sampled_pattern.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_diagonals.hpp"
#include "kernels/cuda/device_rows.hpp"
#include "kernels/cuda/gather.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

/// Rows up to which all row pointers are copied: to gather some takes as long.
constexpr index_t kFewRows = 1 << 18;

/// Addresses for so many elements, which get memory, in small pages, where they are written. A thread keeps the last
/// ones, a few MB, for a matrix of the same size: pages that are touched first take as long as all that is copied.
template <class T>
std::shared_ptr<T> addresses_for(offset_t count) {
    thread_local std::shared_ptr<T> last;
    thread_local std::size_t last_bytes = 0;
    const auto bytes = static_cast<std::size_t>(std::max<offset_t>(count, 1)) * sizeof(T);
    if (bytes == last_bytes && last.use_count() == 1) return last;
    void* const reserved =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) throw Error("no addresses for " + std::to_string(bytes) + " bytes of a pattern");
    static_cast<void>(madvise(reserved, bytes, MADV_NOHUGEPAGE));
    last = {static_cast<T*>(reserved), [bytes](T* p) { munmap(p, bytes); }};
    last_bytes = bytes;
    return last;
}

/// What these ranges hold, in ascending order and nothing twice.
template <class T>
RangesOf<T> without_overlaps(RangesOf<T> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.data() < b.data(); });
    RangesOf<T> all;
    const T* done = nullptr;
    for (const auto& range : ranges) {
        const T* const first = std::max(done, range.data());
        const T* const end = range.data() + range.size();
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

/// Copies what the array `there` has at these ranges of `here`. Returns the bytes.
template <class T, class P>
std::size_t fetch(const RangesOf<T>& ranges, T* here, const P* there, const DeviceContext& on) {
    RangesOf<P> wanted;
    for (const auto& range : ranges) wanted.emplace_back(there + (range.data() - here), range.size());
    const Buffer<P> gathered = gather(wanted, on);
    const RangesOf<P> found = ranges_in(gathered, wanted);
    for (std::size_t i = 0; i < ranges.size(); ++i) std::ranges::copy(found[i], here + (ranges[i].data() - here));
    return gathered.bytes();
}

template <class T>
offset_t size_of(const RangesOf<T>& ranges) {
    offset_t size = 0;
    for (const auto& range : ranges) size += std::ssize(range);
    return size;
}

}  // namespace

template <class V>
SampledPattern::SampledPattern(const Source<V>& source, const DeviceContext& on)
    : columns_(addresses_for<index_t>(source.nnz())) {
    const DevicePattern there = pattern_of(*source.find_device_csr());
    view_ = {.rows = source.rows(),
             .cols = source.cols(),
             .row_ptrs = {},
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
    source.add_bytes_to_host(fetch_row_ptrs(source, on));
    source.add_bytes_to_host(fetch_columns(there.col_idxs, on));
}

/// All of them, which the source keeps, where there are few.
template <class V>
std::size_t SampledPattern::fetch_row_ptrs(const Source<V>& source, const DeviceContext& on) {
    const auto take_all = [&] {
        const Buffer<offset_t>& all = source.row_ptrs();
        view_.row_ptrs = {all.data(), all.size()};
        view_.of_rows = nullptr;
    };
    const index_t rows = source.rows();
    if (rows <= kFewRows || source.nnz() <= kMostUnsampled) return take_all(), 0;
    const DevicePattern there = pattern_of(*source.find_device_csr());
    view_.of_rows = &source.row_statistics();
    row_ptrs_ = addresses_for<offset_t>(offset_t{rows} + 1);
    view_.row_ptrs = {row_ptrs_.get(), static_cast<std::size_t>(rows) + 1};
    const RangesOf<offset_t> wanted = without_overlaps(sampled_row_ptrs(view_));
    if (size_of(wanted) > rows / 2) return take_all(), 0;
    return std::visit([&](const auto* ptrs) { return fetch(wanted, row_ptrs_.get(), ptrs, on); }, there.row_ptrs);
}

std::size_t SampledPattern::fetch_columns(const index_t* there, const DeviceContext& on) {
    if (!view_.count_diagonals) {
        copy_to_host(columns_.get(), there, view_.col_idxs.size_bytes(), on.stream);
        return view_.col_idxs.size_bytes();
    }
    return fetch(without_overlaps(sampled_columns(view_)), columns_.get(), there, on);
}

#define TILESPMV_INSTANTIATE(V) template SampledPattern::SampledPattern(const Source<V>&, const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
