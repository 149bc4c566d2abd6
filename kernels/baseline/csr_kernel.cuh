#pragma once

#include <type_traits>

#include <cuda/std/bit>

#include "kernels/baseline/device_csr.hpp"
#include "kernels/cuda/warp.cuh"

/// What the kernels for CSR share.
namespace tilespmv::baseline {

using cuda::kAllLanes;
using cuda::kWarpSize;

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A, class P>
struct CsrSpmv {
    CsrView<V, P> a;
    const V* x = nullptr;
    V* y = nullptr;
    A alpha = 1;
    A beta = 0;
    index_t rows = 0;

    /// y of a row whose sum is known; y is not read if beta is 0.
    __device__ void write(std::int64_t row, A sum) const {
        A result = alpha * sum;
        if (beta != A(0)) result += beta * static_cast<A>(y[row]);
        y[row] = static_cast<V>(result);
    }
};

/// The unsigned integer that V is loaded as.
template <class V>
using BitsOf = std::conditional_t<sizeof(V) == 2, unsigned short,
                                  std::conditional_t<sizeof(V) == 4, unsigned, unsigned long long>>;

/// A value that this product reads nowhere else: its line is the first to leave the caches.
template <class V>
__device__ V load_once(const V* p) {
    return ::cuda::std::bit_cast<V>(__ldcs(reinterpret_cast<const BitsOf<V>*>(p)));
}

/// A value that does not change during the product and may be read again.
template <class V>
__device__ V load_often(const V* p) {
    return ::cuda::std::bit_cast<V>(__ldg(reinterpret_cast<const BitsOf<V>*>(p)));
}

/// `kCount` nonzeros k, k + step, ... on their way to a thread; those at `end` or behind it count as products of 0 and
/// are not read. Columns and values of all are asked for before the first is waited for, and so are those of x.
template <class A, int kCount, class V, class P>
__device__ void load_products(const CsrSpmv<V, A, P>& p, P k, P end, P step, A (&products)[kCount]) {
    index_t cols[kCount];
    V values[kCount];
    V x[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
        const P at = k + static_cast<P>(i) * step;
        cols[i] = at < end ? load_once(p.a.col_idxs + at) : -1;
        values[i] = at < end ? load_once(p.a.values + at) : V{};
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) x[i] = cols[i] >= 0 ? load_often(p.x + cols[i]) : V{};
#pragma unroll
    for (int i = 0; i < kCount; ++i) products[i] = static_cast<A>(values[i]) * static_cast<A>(x[i]);
}

}  // namespace tilespmv::baseline
