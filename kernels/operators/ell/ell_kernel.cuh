#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/operators/ell/ell.hpp"

namespace tilespmv::cuda {

/// An `Ell` in device memory.
template <class V>
struct EllView {
    const index_t* columns = nullptr;
    const V* values = nullptr;
    index_t rows = 0;
    offset_t width = 0;
};

/// The sum of a row, by one thread; waits for the stream. A place behind the last one of a row, or without a nonzero,
/// has the column kNone; its x is not read.
template <class A, class V>
__device__ A ell_row_sum(const EllView<V>& a, std::int64_t row, const V* x, std::uint64_t policy) {
    constexpr int kInFlight = KernelTuning<sizeof(V)>::kEllFlight;
    A sum = 0;
    for (offset_t first = 0; first < a.width; first += kInFlight) {
        index_t columns[kInFlight];
        V values[kInFlight];
#pragma unroll
        for (int i = 0; i < kInFlight; ++i) {
            const offset_t at = min(first + i, a.width - 1) * a.rows + row;
            columns[i] = load_once(a.columns + at, policy);
            values[i] = load_once(a.values + at, policy);
        }
        wait_for_stream();
#pragma unroll
        for (int i = 0; i < kInFlight; ++i) {
            if (columns[i] == Ell<V>::kNone || first + i >= a.width) continue;
            sum += static_cast<A>(values[i]) * static_cast<A>(load_x(x + columns[i]));
        }
    }
    wait_for_stream();  // rows without nonzeros, too
    return sum;
}

}  // namespace tilespmv::cuda
