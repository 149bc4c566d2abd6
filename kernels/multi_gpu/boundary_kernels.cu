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

/// `kGroup` threads a row. The first nonzero of each is read before the wait.
template <class V, int kGroup>
__global__ void add_boundary(const __grid_constant__ AddBoundary<V> p) {
    const std::int64_t row = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / kGroup;
    const auto lane = static_cast<int>(threadIdx.x) % kGroup;
    offset_t k = row < p.count ? p.row_ptrs[row] + lane : 0;
    const offset_t end = row < p.count ? p.row_ptrs[row + 1] : 0;
    V value{};
    index_t col = 0;
    const auto load = [&] {
        if (k >= end) return;
        value = cuda::load_once(p.values + k);
        col = cuda::load_once(p.col_idxs + k);
    };
    load();
    cuda::wait_for_stream();
    double sum = 0;
    while (k < end) {
        sum += static_cast<double>(value) * static_cast<double>(cuda::load_x(p.halo + col));
        k += kGroup;
        load();
    }
    sum = cuda::sum_of_lanes<kGroup>(sum);
    if (row < p.count && lane == 0) {
        V& y = p.y[p.rows[row]];
        y = static_cast<V>(static_cast<double>(y) + p.alpha * sum);
    }
}

/// A block at least, also where there is no boundary: what follows may start early, and only one kernel before it.
template <class V, int kGroup>
void launch_groups(const AddBoundary<V>& product, bool may_start_early, cudaStream_t stream) {
    const std::int64_t blocks = std::max<std::int64_t>(1, div_up(std::int64_t{product.count} * kGroup, kThreads));
    if (may_start_early) {
        cuda::launch_dependent(add_boundary<V, kGroup>, blocks, kThreads, product, stream);
    } else {
        cuda::launch(add_boundary<V, kGroup>, blocks, kThreads, product, stream);
    }
}

}  // namespace

template <class V>
void launch_add_boundary(const AddBoundary<V>& product, offset_t nnz, bool may_start_early, cudaStream_t stream) {
    const offset_t length = nnz / std::max(product.count, 1);
    if (length <= 3) return launch_groups<V, 2>(product, may_start_early, stream);
    if (length <= 24) return launch_groups<V, 8>(product, may_start_early, stream);
    launch_groups<V, 32>(product, may_start_early, stream);
}

template void launch_add_boundary(const AddBoundary<double>&, offset_t, bool, cudaStream_t);
template void launch_add_boundary(const AddBoundary<float>&, offset_t, bool, cudaStream_t);

}  // namespace tilespmv::multi_gpu
