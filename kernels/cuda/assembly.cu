#include "kernels/cuda/device_operator.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>
#include <utility>

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sort_pairs.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/sum_entries.cuh"
#include "kernels/cuda/device_csr.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;
using Key = std::uint64_t;

int bits_of(index_t size) { return std::bit_width(static_cast<std::uint32_t>(size > 0 ? size - 1 : 0)); }

/// What is found of the entries.
struct EntrySums {
    unsigned long long first_outside = ~0ULL;
    unsigned long long skipped = 0;
};

template <class P, class Index>
struct EntriesToSort {
    const Index* rows = nullptr;
    const Index* cols = nullptr;
    offset_t count = 0;
    index_t row_count = 0;
    index_t col_count = 0;
    int col_bits = 0;
    Key skipped = 0;  ///< the key of entries that are left out: they come last
    Key* keys = nullptr;
    P* positions = nullptr;
    EntrySums* sums = nullptr;
};

template <class P, class Index>
__global__ void __launch_bounds__(kThreads) number_entries(EntriesToSort<P, Index> p) {
    const offset_t i = offset_t{blockIdx.x} * kThreads + threadIdx.x;
    bool is_skipped = false;
    if (i < p.count) {
        const Index row = p.rows[i];
        const Index col = p.cols[i];
        is_skipped = row < 0 || col < 0;
        const bool is_inside = !is_skipped && row < p.row_count && col < p.col_count;
        if (!is_skipped && !is_inside) atomicMin(&p.sums->first_outside, static_cast<unsigned long long>(i));
        p.keys[i] = is_inside ? static_cast<Key>(row) << p.col_bits | static_cast<Key>(col) : p.skipped;
        p.positions[i] = static_cast<P>(i);
    }
    const int of_block = __syncthreads_count(is_skipped);
    if (threadIdx.x == 0 && of_block > 0) atomicAdd(&p.sums->skipped, static_cast<unsigned long long>(of_block));
}

template <class P>
struct IsFirstOfItsPlace {
    const Key* keys = nullptr;
    __device__ bool operator()(P i) const { return i == 0 || keys[i] != keys[i - 1]; }
};

template <class P>
struct PatternToFill {
    index_t rows = 0;
    offset_t nnz = 0;
    int col_bits = 0;
    const Key* keys = nullptr;
    const P* first = nullptr;  ///< as in `EntriesToSum`
    P* row_ptrs = nullptr;
    index_t* col_idxs = nullptr;

    [[nodiscard]] __device__ Key key(offset_t i) const { return keys[first == nullptr ? i : first[i]]; }
    [[nodiscard]] __device__ offset_t row(offset_t i) const { return static_cast<offset_t>(key(i) >> col_bits); }
};

/// A row begins behind the last nonzero of a row before it, so that one thread writes the pointers of all that are
/// empty between two others.
template <class P>
__global__ void __launch_bounds__(kThreads) fill_pattern(PatternToFill<P> p) {
    const offset_t i = offset_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i > p.nnz) return;
    const offset_t before = i > 0 ? p.row(i - 1) : -1;
    const offset_t here = i < p.nnz ? p.row(i) : offset_t{p.rows};
    for (offset_t row = before + 1; row <= here; ++row) p.row_ptrs[row] = static_cast<P>(i);
    if (i < p.nnz) p.col_idxs[i] = static_cast<index_t>(p.key(i) & ((Key{1} << p.col_bits) - 1));
}

template <class T>
T value_at(const T* there, offset_t i, cudaStream_t stream) {
    T host{};
    TILESPMV_CUDA(cudaMemcpyAsync(&host, there + i, sizeof host, cudaMemcpyDeviceToHost, stream));
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    return host;
}

void launch_for_each(offset_t count, auto kernel, const auto& parameters, cudaStream_t stream) {
    launch(kernel, div_up(count, offset_t{kThreads}), kThreads, parameters, stream);
}

}  // namespace

/// Makes the places of an assembly, and its columns.
template <class P, class Index>
struct Assembly::Maker {
    Assembly& of;
    const DeviceContext& on;
    EntriesToSort<P, Index> entries;
    DeviceBuffer<Key> keys, other_keys;
    DeviceBuffer<P> positions, other_positions;
    offset_t kept = 0;  ///< entries

    Places<P> make() {
        const auto count = static_cast<std::size_t>(entries.count);
        keys = DeviceBuffer<Key>(count, on);
        positions = DeviceBuffer<P>(count, on);
        Places<P> places{DeviceBuffer<P>(static_cast<std::size_t>(of.rows_) + 1, on), {}, {}};
        const int bits = number();
        if (kept == 0) {
            TILESPMV_CUDA(cudaMemsetAsync(places.row_ptrs.data(), 0, places.row_ptrs.bytes(), on.stream));
            TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
            return places;
        }
        sort(std::max(kept < entries.count ? bits + 1 : bits, 1));
        places.first = find_first();
        const auto nnz = places.first.empty() ? kept : static_cast<offset_t>(places.first.size()) - 1;
        of.col_idxs_ = DeviceBuffer<index_t>(static_cast<std::size_t>(nnz), on);
        const PatternToFill<P> p{of.rows_,
                                 nnz,
                                 entries.col_bits,
                                 keys.data(),
                                 places.first.empty() ? nullptr : places.first.data(),
                                 places.row_ptrs.data(),
                                 of.col_idxs_.data()};
        launch_for_each(nnz + 1, fill_pattern<P>, p, on.stream);
        places.positions = std::move(positions);
        TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
        return places;
    }

    /// Gives every entry its key, and returns the bits of those that are not left out.
    int number() {
        const int bits = bits_of(of.rows_) + bits_of(of.cols_);
        EntrySums sums;
        const DeviceBuffer<EntrySums> there(std::span<const EntrySums>(&sums, 1), on);
        entries.col_bits = bits_of(of.cols_);
        entries.skipped = Key{1} << bits;
        entries.keys = keys.data();
        entries.positions = positions.data();
        entries.sums = there.data();
        launch_for_each(entries.count, number_entries<P, Index>, entries, on.stream);
        sums = value_at(there.data(), 0, on.stream);
        if (sums.first_outside != ~0ULL) refuse(static_cast<offset_t>(sums.first_outside));
        kept = entries.count - static_cast<offset_t>(sums.skipped);
        return bits;
    }

    [[noreturn]] void refuse(offset_t i) const {
        const auto at = [&](const Index* indices) { return std::to_string(value_at(indices, i, on.stream)); };
        throw Error("entry " + std::to_string(i) + " is at row " + at(entries.rows) + ", column " + at(entries.cols) +
                        " (from 0) of a matrix of " + std::to_string(of.rows_) + " x " + std::to_string(of.cols_),
                    ExitCode::usage);
    }

    void sort(int bits) {
        other_keys = DeviceBuffer<Key>(keys.size(), on);
        other_positions = DeviceBuffer<P>(keys.size(), on);
        cub::DoubleBuffer<Key> both_keys(keys.data(), other_keys.data());
        cub::DoubleBuffer<P> both_positions(positions.data(), other_positions.data());
        sort_pairs(both_keys, both_positions, static_cast<P>(keys.size()), bits, on);
        if (both_keys.Current() != keys.data()) std::swap(keys, other_keys);
        if (both_positions.Current() != positions.data()) std::swap(positions, other_positions);
        other_keys = {};
    }

    /// Empty if all places are different. Into memory that sorting no longer needs.
    DeviceBuffer<P> find_first() {
        const DeviceBuffer<offset_t> found(1, on);
        with_cub_workspace(
            [&](void* workspace, std::size_t& bytes) {
                return cub::DeviceSelect::If(workspace, bytes, thrust::counting_iterator<P>(0), other_positions.data(),
                                             found.data(), kept, IsFirstOfItsPlace<P>{keys.data()}, on.stream);
            },
            on);
        const offset_t nnz = value_at(found.data(), 0, on.stream);
        if (nnz == kept) return {};
        DeviceBuffer<P> first(static_cast<std::size_t>(nnz) + 1, on);
        TILESPMV_CUDA(cudaMemcpyAsync(first.data(), other_positions.data(), static_cast<std::size_t>(nnz) * sizeof(P),
                                      cudaMemcpyDeviceToDevice, on.stream));
        const auto end = static_cast<P>(kept);
        TILESPMV_CUDA(cudaMemcpyAsync(first.data() + nnz, &end, sizeof end, cudaMemcpyHostToDevice, on.stream));
        return first;
    }
};

template <class Index>
Assembly::Assembly(index_t rows, index_t cols, const Index* row_idxs, const Index* col_idxs, offset_t count,
                   const DeviceContext& on)
    : rows_(rows), cols_(cols) {
    if (rows < 0 || cols < 0 || count < 0) throw Error("an assembly has a negative size", ExitCode::usage);
    const auto make = [&]<class P>(P) {
        return Maker<P, Index>{*this, on, {row_idxs, col_idxs, count, rows, cols}, {}, {}, {}, {}}.make();
    };
    if (fits_32_bits(count)) {
        places_ = make(std::uint32_t{});
    } else {
        places_ = make(offset_t{});
    }
}

std::size_t Assembly::bytes() const {
    return col_idxs_.bytes() +
           std::visit([](const auto& p) { return p.row_ptrs.bytes() + p.positions.bytes() + p.first.bytes(); },
                      places_);
}

template <class V>
void Assembly::sum(const V* entries, V* values, cudaStream_t stream) const {
    std::visit(
        [&]<class P>(const Places<P>& p) {
            const P* const first = p.first.empty() ? nullptr : p.first.data();
            launch_sum_entries(EntriesToSum<V, P>{entries, p.positions.data(), first, nnz(), values}, stream);
        },
        places_);
}

std::variant<const std::int32_t*, const std::int64_t*> Assembly::row_ptrs() const {
    if (const auto* narrow = std::get_if<Places<std::uint32_t>>(&places_))
        return reinterpret_cast<const std::int32_t*>(narrow->row_ptrs.data());  // none has the highest bit
    return std::get<Places<offset_t>>(places_).row_ptrs.data();
}

#define TILESPMV_INSTANTIATE(V) template void Assembly::sum(const V*, V*, cudaStream_t) const;
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)
template Assembly::Assembly(index_t, index_t, const std::int32_t*, const std::int32_t*, offset_t, const DeviceContext&);
template Assembly::Assembly(index_t, index_t, const std::int64_t*, const std::int64_t*, offset_t, const DeviceContext&);

}  // namespace tilespmv::cuda
