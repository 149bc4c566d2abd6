#include "kernels/cuda/sampled_pattern.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/device_diagonals.hpp"
#include "kernels/cuda/download.hpp"
#include "kernels/cuda/sample_counts.hpp"

namespace tilespmv::cuda {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint32_t);

template <class T>
void add_words(const T* there, const ElementRanges& ranges, std::vector<WordsThere>& words) {
    for (const auto& [first, size] : ranges) {
        words.push_back({reinterpret_cast<const std::uint32_t*>(there + first),
                         static_cast<std::size_t>(size) * sizeof(T) / kWordBytes});
    }
}

std::size_t size_of(const ElementRanges& ranges) {
    std::size_t size = 0;
    for (const ElementRange& range : ranges) size += static_cast<std::size_t>(range.size);
    return size;
}

template <class T>
std::vector<std::span<const T>> spans_of(const T* elements, const ElementRanges& ranges) {
    std::vector<std::span<const T>> spans;
    spans.reserve(ranges.size());
    for (const ElementRange& range : ranges) {
        spans.emplace_back(elements, static_cast<std::size_t>(range.size));
        elements += range.size;
    }
    return spans;
}

}  // namespace

template <class V>
SampledPattern<V>::SampledPattern(const Source<V>& source, const DeviceContext& on)
    : source_(source), on_(on), there_(pattern_of(*source.find_device_csr())), counts_(sizeof(SampleCounts)) {
    require_in_device_memory(*source.find_device_csr());
}

template <class V>
PatternReader::Found SampledPattern<V>::read(const ElementRanges& row_ptrs, const ElementRanges& columns) {
    std::vector<WordsThere> words;
    words.reserve(row_ptrs.size() + columns.size());
    std::visit([&](const auto* ptrs) { add_words(ptrs, row_ptrs, words); }, there_.row_ptrs);
    add_words(there_.col_idxs, columns, words);
    Gather& gathered = gathered_.emplace_back(words, on_.stream);
    // Found by the kernel behind, so that both are waited for together; also checks the row pointers, by which columns
    // are read next.
    static_cast<void>(source_.row_statistics());
    const std::uint32_t* const found = gathered.wait();
    std::vector<offset_t>& copy = row_ptrs_.emplace_back(size_of(row_ptrs));
    const std::size_t ptr_bytes = std::visit(
        [&]<class P>(const P*) {
            for (std::size_t i = 0; i < copy.size(); ++i) {
                P ptr = 0;
                std::memcpy(&ptr, found + i * (sizeof(P) / kWordBytes), sizeof(P));
                copy[i] = ptr;
            }
            return copy.size() * sizeof(P);
        },
        there_.row_ptrs);
    const auto* const found_columns = reinterpret_cast<const index_t*>(found + ptr_bytes / kWordBytes);
    source_.add_bytes_to_host(ptr_bytes + size_of(columns) * sizeof(index_t));
    return {spans_of(static_cast<const offset_t*>(copy.data()), row_ptrs), spans_of(found_columns, columns)};
}

template <class V>
const SampleCounts& SampledPattern<V>::count(const CountedSample& sample) {
    auto* const counts = reinterpret_cast<SampleCounts*>(counts_.data());
    begin_count(there_, sample, counts, on_.stream);
    source_.add_bytes_to_host(sizeof(SampleCounts));
    return *counts;
}

template <class V>
offset_t SampledPattern<V>::count_diagonals(const std::vector<offset_t>&) {
    return cuda::count_diagonals(there_, on_);
}

#define TILESPMV_INSTANTIATE(V) template class SampledPattern<V>;
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
