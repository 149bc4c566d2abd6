#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/warp.cuh"
#include "kernels/cuda/device_csr.hpp"

/// What the kernels for CSR share.
namespace tilespmv::cuda {

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A, class P>
struct CsrSpmv : ProductTerms<V, A> {
    CsrView<V, P> a;
};

/// Nonzeros k, k + step, ... of a matrix on their way to a thread. Columns and values of all are asked for before the
/// first is waited for, and then those of x: no load depends on a condition, or the compiler would move it to where its
/// value is needed. Those at `end` (above 0) or behind it repeat the last one before it. Values of the caller's may
/// have been written by the kernel before, and are loaded after the wait for it.
template <class V, int kCount>
class Nonzeros {
public:
    template <class P>
    __device__ void load(const CsrView<V, P>& a, P k, P end, P step, std::uint64_t policy) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) cols_[i] = load_once(a.col_idxs + at(k, end, step, i), policy);
        if (a.values_may_change) wait_for_stream();
#pragma unroll
        for (int i = 0; i < kCount; ++i) values_[i] = load_once(a.values + at(k, end, step, i), policy);
    }

    template <class A>
    __device__ void multiply(const V* x, A (&products)[kCount]) const {
        V factors[kCount];
        wait_for_stream();
#pragma unroll
        for (int i = 0; i < kCount; ++i) factors[i] = load_x(x + cols_[i]);
#pragma unroll
        for (int i = 0; i < kCount; ++i) products[i] = static_cast<A>(values_[i]) * static_cast<A>(factors[i]);
    }

private:
    template <class P>
    static __device__ P at(P k, P end, P step, int i) {
        const P wanted = k + static_cast<P>(i) * step;
        return wanted < end ? wanted : end - 1;
    }

    index_t cols_[kCount];
    V values_[kCount];
};

}  // namespace tilespmv::cuda
