#pragma once

#include "kernels/operators/sell/sell_kernel.cuh"

/// Products by sorted slices in which x of columns of many nonzeros, hubs, is copied into one place first.
namespace tilespmv::cuda {

template <class V, class A>
struct HubSellSpmv : SellSpmv<V, A, std::uint32_t> {
    const index_t* hubs = nullptr;
    unsigned hub_count = 0;
    V* hub_x = nullptr;  ///< x of the hubs
};

/// Copies x of the hubs into one place, where those of a line of a cache are all read often.
template <class V, class A>
__global__ void gather_hubs(const __grid_constant__ HubSellSpmv<V, A> p) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= p.hub_count) return;
    const index_t hub = load_often(p.hubs + i);
    wait_for_stream();
    p.hub_x[i] = load_x(p.x + hub);
}

/// By codes of hubs and of columns.
template <class V>
struct XOfHubs {
    const V* hub_x;
    const V* x;
    unsigned hub_count;
    __device__ const V* operator()(std::uint32_t code) const {
        return code < hub_count ? hub_x + code : x + (code - hub_count);
    }
};

/// y = alpha * A * x + beta * y, after `gather_hubs`.
template <class V, class A>
__global__ void __launch_bounds__(kSellThreads, resident(kSellBlocks<sizeof(V)>, kSellThreads))
    sell_hubs_spmv(const __grid_constant__ HubSellSpmv<V, A> p) {
    multiply_slices<V, A>(p, XOfHubs<V>{p.hub_x, p.x, p.hub_count});
}

}  // namespace tilespmv::cuda
