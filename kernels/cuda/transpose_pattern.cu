#include "kernels/cuda/transpose_pattern.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sort_pairs.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/tuning.hpp"
#include "tile/sizes.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;

/// Nonzeros with one entry in `PatternToTranspose::first_rows`.
constexpr int kRowGroup = 32;

template <class P>
struct PatternToTranspose : CsrPattern<P> {
    index_t* first_rows = nullptr;  ///< the row of nonzero 0, kRowGroup, 2 * kRowGroup, ... and of the last one

    [[nodiscard]] __device__ offset_t index() const { return offset_t{blockIdx.x} * kThreads + threadIdx.x; }
    /// The row of a nonzero, between two that it is not before and not behind.
    [[nodiscard]] __device__ index_t row_of(offset_t position, index_t low, index_t high) const {
        while (low < high) {
            const index_t middle = low + (high - low + 1) / 2;
            if (static_cast<offset_t>(this->row_ptrs[middle]) <= position) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
    [[nodiscard]] __device__ index_t row_of(offset_t position) const {
        const offset_t group = position / kRowGroup;
        return row_of(position, first_rows[group], first_rows[group + 1]);
    }
};

template <class P>
__global__ void __launch_bounds__(kThreads) find_first_rows(PatternToTranspose<P> p) {
    const offset_t group = p.index();
    if (group > div_up(p.nnz, offset_t{kRowGroup})) return;
    const offset_t position = group * kRowGroup < p.nnz ? group * kRowGroup : p.nnz - 1;
    p.first_rows[group] = p.row_of(position, 0, p.rows - 1);
}

template <class P>
struct Mirror : PatternToTranspose<P> {
    offset_t step = 1;
    P* positions = nullptr;
    volatile int* differs = nullptr;

    /// The nonzero at `row` of the row from `begin` to `last`, or one of that row if it has none. Looks first where it
    /// is in a stencil, then where it is if its neighbours there have neighbouring columns.
    [[nodiscard]] __device__ offset_t find(offset_t begin, offset_t last, index_t row, offset_t expected) const {
        offset_t at = expected < last ? expected : last;
        index_t found = this->col_idxs[at];
        if (found == row) return at;
        at += row - found;
        at = at < begin ? begin : at < last ? at : last;
        if (this->col_idxs[at] == row) return at;
        while (begin < last) {
            const offset_t middle = begin + (last - begin) / 2;
            if (this->col_idxs[middle] < row) {
                begin = middle + 1;
            } else {
                last = middle;
            }
        }
        return begin;
    }
};

/// Nonzero (r, c) is where (c, r) is in the transpose, if that is one and the pattern symmetric.
template <class P>
__global__ void __launch_bounds__(kThreads) find_mirror_images(Mirror<P> p) {
    const offset_t position = p.index() * p.step;
    if (position >= p.nnz || *p.differs != 0) return;
    const index_t row = p.row_of(position);
    const index_t col = p.col_idxs[position];
    const offset_t first = p.row_ptrs[row];
    const offset_t begin = p.row_ptrs[col];
    const offset_t last = static_cast<offset_t>(p.row_ptrs[col + 1]) - 1;
    const bool is_ascending = position == first || p.col_idxs[position - 1] < col;
    if (is_ascending && begin <= last) {
        const offset_t behind = static_cast<offset_t>(p.row_ptrs[row + 1]) - 1 - position;
        const offset_t image = p.find(begin, last, row, begin + behind);
        p.positions[position] = static_cast<P>(image);
        if (p.col_idxs[image] == row) return;
    }
    *p.differs = 1;
}

template <class P>
struct Sorting : PatternToTranspose<P> {
    P* positions = nullptr;
    const index_t* sorted_cols = nullptr;
    P* to_row_ptrs = nullptr;
    index_t* to_cols = nullptr;
};

template <class P>
__global__ void __launch_bounds__(kThreads) number_nonzeros(Sorting<P> p) {
    const offset_t i = p.index();
    if (i < p.nnz) p.positions[i] = static_cast<P>(i);
}

/// Of nonzeros that are sorted by columns: columns and row pointers of the transpose. A row begins behind the last
/// nonzero of a row before it, so that one thread writes the pointers of all that are empty between two others.
template <class P>
__global__ void __launch_bounds__(kThreads) fill_transpose(Sorting<P> p) {
    const offset_t i = p.index();
    if (i > p.nnz) return;
    const offset_t before = i > 0 ? offset_t{p.sorted_cols[i - 1]} : -1;
    const offset_t here = i < p.nnz ? offset_t{p.sorted_cols[i]} : offset_t{p.cols};
    for (offset_t col = before + 1; col <= here; ++col) p.to_row_ptrs[col] = static_cast<P>(i);
    if (i < p.nnz) p.to_cols[i] = p.row_of(static_cast<offset_t>(p.positions[i]));
}

template <class Parameters>
void launch_for_each(offset_t count, void (*kernel)(Parameters), const Parameters& parameters,
                     const DeviceContext& on) {
    launch(kernel, div_up(count, offset_t{kThreads}), kThreads, parameters, on.stream);
}

/// Looks for the mirror images of one nonzero of every `step`, and for their positions.
template <class P>
void look_for_mirror_images(const PatternToTranspose<P>& a, offset_t step, TransposedPattern<P>& to,
                            DeviceBuffer<int>& differs, const DeviceContext& on) {
    TILESPMV_CUDA(cudaMemsetAsync(differs.data(), 0, differs.bytes(), on.stream));
    launch_for_each(div_up(a.nnz, step), find_mirror_images<P>, Mirror<P>{a, step, to.positions.data(), differs.data()},
                    on);
}

bool have_been_found(const DeviceBuffer<int>& differs, const DeviceContext& on) {
    int host = 0;
    differs.download({&host, 1}, on.stream);
    return host == 0;
}

/// First of a sample: where patterns are not symmetric that tells most of them, as all nonzeros take longer.
template <class P>
bool find_symmetry(const PatternToTranspose<P>& a, TransposedPattern<P>& to, const DeviceContext& on) {
    constexpr offset_t sample = 4096;
    const offset_t step = a.nnz / sample;
    if (a.rows != a.cols) return false;
    DeviceBuffer<int> differs(1, on);
    if (step > 1) {
        look_for_mirror_images(a, step, to, differs, on);
        if (!have_been_found(differs, on)) return false;
    }
    look_for_mirror_images(a, 1, to, differs, on);
    to.row_ptrs = copied_on_device(a.row_ptrs, offset_t{a.rows} + 1, on);
    to.col_idxs = copied_on_device(a.col_idxs, a.nnz, on);
    return have_been_found(differs, on);
}

template <class P>
void sort_by_columns(const PatternToTranspose<P>& a, TransposedPattern<P>& to, const DeviceContext& on) {
    const auto nnz = static_cast<std::size_t>(a.nnz);
    launch_for_each(a.nnz, number_nonzeros<P>, Sorting<P>{a, to.positions.data()}, on);
    DeviceBuffer<index_t> cols = copied_on_device(a.col_idxs, a.nnz, on);
    DeviceBuffer<P> other_positions(nnz, on);
    to.col_idxs = DeviceBuffer<index_t>(nnz, on);
    cub::DoubleBuffer<index_t> keys(cols.data(), to.col_idxs.data());
    cub::DoubleBuffer<P> positions(to.positions.data(), other_positions.data());
    const int bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(a.cols - 1))));
    sort_pairs(keys, positions, static_cast<P>(nnz), bits, on);
    to.row_ptrs = DeviceBuffer<P>(static_cast<std::size_t>(a.cols) + 1, on);
    if (positions.Current() != to.positions.data()) std::swap(to.positions, other_positions);
    if (keys.Current() == to.col_idxs.data()) std::swap(to.col_idxs, cols);  // the others are to be written
    launch_for_each(a.nnz + 1, fill_transpose<P>,
                    Sorting<P>{a, to.positions.data(), cols.data(), to.row_ptrs.data(), to.col_idxs.data()}, on);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
}

}  // namespace

template <class P>
TransposedPattern<P> transpose_pattern(const CsrPattern<P>& a, const DeviceContext& on) {
    TransposedPattern<P> to;
    if (a.nnz == 0) {
        to.is_same = a.rows == a.cols;
        to.row_ptrs = DeviceBuffer<P>(static_cast<std::size_t>(a.cols) + 1, on);
        TILESPMV_CUDA(cudaMemsetAsync(to.row_ptrs.data(), 0, to.row_ptrs.bytes(), on.stream));
        return to;
    }
    const offset_t groups = div_up(a.nnz, offset_t{kRowGroup}) + 1;
    const DeviceBuffer<index_t> first_rows(static_cast<std::size_t>(groups), on);
    const PatternToTranspose<P> with_rows{a, first_rows.data()};
    launch_for_each(groups, find_first_rows<P>, with_rows, on);
    to.positions = DeviceBuffer<P>(static_cast<std::size_t>(a.nnz), on);
    to.is_same = find_symmetry(with_rows, to, on);
    if (!to.is_same) sort_by_columns(with_rows, to, on);
    return to;
}

#define TILESPMV_INSTANTIATE(P) \
    template TransposedPattern<P> transpose_pattern(const CsrPattern<P>&, const DeviceContext&);
TILESPMV_INSTANTIATE(std::uint32_t)
TILESPMV_INSTANTIATE(offset_t)

}  // namespace tilespmv::cuda
