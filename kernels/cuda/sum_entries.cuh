#pragma once

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tuning.hpp"

namespace tilespmv::cuda {

/// Values of one form of a matrix, and where those of another are among them.
template <class V, class P>
struct EntriesToSum {
    const V* entries = nullptr;
    const P* positions = nullptr;
    /// Value i is the sum of the entries at positions first[i], ..., first[i + 1] - 1, in this order; null: that of the
    /// one at position i.
    const P* first = nullptr;
    offset_t count = 0;  ///< of values
    V* to = nullptr;
};

/// What sums of values are rounded from.
template <class V>
struct SumOf {
    using Type = V;
};
template <class V>
requires(sizeof(V) == 2) struct SumOf<V> {
    using Type = float;
};

/// Values that a thread has in flight: FEM with 6 unknowns takes 336 us with 4, 445 with 1 on an H200.
inline constexpr int kEntriesInFlight = 4;

template <class V, class P>
__global__ void __launch_bounds__(kElementwiseThreads) gather_entries(EntriesToSum<V, P> p) {
    const offset_t first = offset_t{blockIdx.x} * kElementwiseThreads * kEntriesInFlight + threadIdx.x;
    P positions[kEntriesInFlight];
    V values[kEntriesInFlight];
#pragma unroll
    for (int i = 0; i < kEntriesInFlight; ++i) {
        const offset_t at = first + i * kElementwiseThreads;
        positions[i] = p.positions[at < p.count ? at : p.count - 1];
    }
#pragma unroll
    for (int i = 0; i < kEntriesInFlight; ++i) values[i] = load_often(p.entries + positions[i]);
#pragma unroll
    for (int i = 0; i < kEntriesInFlight; ++i) {
        const offset_t at = first + i * kElementwiseThreads;
        if (at < p.count) p.to[at] = values[i];
    }
}

/// A thread for each value; each partial sum is rounded to V.
template <class V, class P>
__global__ void __launch_bounds__(kElementwiseThreads) sum_entries(EntriesToSum<V, P> p) {
    using Sum = typename SumOf<V>::Type;
    const offset_t i = offset_t{blockIdx.x} * kElementwiseThreads + threadIdx.x;
    if (i >= p.count) return;
    const P end = p.first[i + 1];
    P at = p.first[i];
    V sum = load_often(p.entries + p.positions[at]);
    for (++at; at < end; ++at) {
        const V next = load_often(p.entries + p.positions[at]);
        sum = static_cast<V>(static_cast<Sum>(sum) + static_cast<Sum>(next));
    }
    p.to[i] = sum;
}

/// Neither allocates nor waits.
template <class V, class P>
void launch_sum_entries(const EntriesToSum<V, P>& p, cudaStream_t stream) {
    if (p.first == nullptr) {
        launch(gather_entries<V, P>, div_up(p.count, offset_t{kElementwiseThreads} * kEntriesInFlight),
               kElementwiseThreads, p, stream);
    } else {
        launch(sum_entries<V, P>, div_up(p.count, offset_t{kElementwiseThreads}), kElementwiseThreads, p, stream);
    }
}

}  // namespace tilespmv::cuda
