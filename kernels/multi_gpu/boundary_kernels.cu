#include "kernels/multi_gpu/boundary_kernels.hpp"

#include <algorithm>

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::multi_gpu {
namespace {

// A boundary has few rows, whose time is that of a launch and the longest chain of loads. Not swept.
constexpr int kThreads = 128;

template <class V>
__global__ void pack(const __grid_constant__ Pack<V> p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    const index_t entry = i < p.count ? cuda::load_often(p.entries + i) : 0;
    cuda::wait_for_stream();
    if (i < p.count) p.sent[i] = cuda::load_x(p.x + entry);
}

/// `kGroup` threads a row.
template <class V, int kGroup>
__global__ void add_boundary(const __grid_constant__ AddBoundary<V> p) {
    const std::int64_t row = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / kGroup;
    const auto lane = static_cast<int>(threadIdx.x) % kGroup;
    double sum = 0;
    if (row < p.count) {
        const offset_t end = p.row_ptrs[row + 1];
        for (offset_t k = p.row_ptrs[row] + lane; k < end; k += kGroup) {
            const auto value = static_cast<double>(cuda::load_once(p.values + k));
            sum += value * static_cast<double>(cuda::load_x(p.halo + cuda::load_once(p.col_idxs + k)));
        }
    }
    sum = cuda::sum_of_lanes<kGroup>(sum);
    if (row < p.count && lane == 0) {
        V& y = p.y[p.rows[row]];
        y = static_cast<V>(static_cast<double>(y) + p.alpha * sum);
    }
}

/// A block at least, also where there is no boundary: what follows may start early, and only one kernel before it.
template <class V, int kGroup>
void launch_groups(const AddBoundary<V>& product, cudaStream_t stream) {
    const std::int64_t blocks = div_up(std::int64_t{product.count} * kGroup, kThreads);
    cuda::launch(add_boundary<V, kGroup>, std::max<std::int64_t>(blocks, 1), kThreads, product, stream);
}

}  // namespace

template <class V>
void launch_pack(const Pack<V>& p, cudaStream_t stream) {
    cuda::launch_dependent(pack<V>, div_up(p.count, kThreads), kThreads, p, stream);
}

template <class V>
void launch_add_boundary(const AddBoundary<V>& product, offset_t nnz, cudaStream_t stream) {
    const offset_t length = nnz / std::max(product.count, 1);
    if (length <= 3) return launch_groups<V, 2>(product, stream);
    if (length <= 24) return launch_groups<V, 8>(product, stream);
    launch_groups<V, 32>(product, stream);
}

#define TILESPMV_INSTANTIATE(V)                              \
    template void launch_pack(const Pack<V>&, cudaStream_t); \
    template void launch_add_boundary(const AddBoundary<V>&, offset_t, cudaStream_t);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::multi_gpu
