#pragma once

#include "kernels/csr16/csr16_kernel.cuh"
#include "kernels/tile/tile_kernel.cuh"

namespace tilespmv::cuda {

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct MixedSpmv : TileSpmv<V, A> {
    DeviceCsr16<V, A> csr16;
};

template <class A>
union MixedStage {
    TileStage<A> tiled;
    Csr16Stage<A, SharedCsr16Kernel> csr16;
};

/// y = alpha * A * x + beta * y: the blocks of csr16, then those of the tiled part.
template <class V, class A>
__global__ void __launch_bounds__(kBlockThreads, resident(kBlocksPerMultiprocessor, kBlockThreads))
    mixed_spmv(const __grid_constant__ MixedSpmv<V, A> p) {
    static_assert(kBlockThreads == Csr16::kThreads);
    __shared__ MixedStage<A> stage;
    const std::int64_t at = blockIdx.x;
    if (at < p.csr16.block_count) return multiply_csr16(p.csr16, p, stage.csr16, at);
    multiply_tiled(p, stage.tiled, at - p.csr16.block_count);
}

}  // namespace tilespmv::cuda
