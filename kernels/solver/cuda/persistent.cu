#include "kernels/solver/cuda/persistent.hpp"

#include <algorithm>

#include "kernels/cuda/device_attribute.hpp"
#include "kernels/cuda/device_csr.hpp"
#include "kernels/cuda/probe.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/solver/cuda/persistent.cuh"
#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

template <class T>
__global__ void __launch_bounds__(kMostTeamThreads) persistent_grid(const __grid_constant__ Persistent<T> p) {
    extern __shared__ __align__(16) unsigned char dynamic[];
    __shared__ PersistentStage stage;
    SharedArrays shared(dynamic);
    GridTeam<T> team(p.meetings, p.method == Method::textbook ? p.p : p.w, stage.gathered);
    OwnRows<T> rows(p, team.rank(), shared);
    iterate(p, rows, team, stage);
}

template <class T>
__global__ void __launch_bounds__(kMostTeamThreads) persistent_cluster(const __grid_constant__ Persistent<T> p) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(16) unsigned char dynamic[];
    __shared__ PersistentStage stage;
    SharedArrays shared(dynamic);
    ClusterTeam<T> team(shared.take<T>(p.rows), stage.gathered);
    OwnRows<T> rows(p, team.rank(), shared);
    iterate(p, rows, team, stage);
#endif
}

template <class T>
using Kernel = void (*)(Persistent<T>);

template <class T>
Kernel<T> kernel_of(Team team) {
    return team == Team::cluster ? persistent_cluster<T> : persistent_grid<T>;
}

/// Allows it what its plans ask for at most.
template <class T>
void allow(Team team, std::size_t shared_bytes) {
    const auto kernel = kernel_of<T>(team);
    TILESPMV_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)));
    if (team == Team::cluster)
        TILESPMV_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
}

template <class T>
std::size_t dynamic_bytes(Team team) {
    cudaFuncAttributes attributes{};
    TILESPMV_CUDA(cudaFuncGetAttributes(&attributes, kernel_of<T>(team)));
    return static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
           attributes.sharedSizeBytes;
}

/// Of the largest cluster whose blocks have all the shared memory there is.
template <class T>
int cluster_blocks(int threads, std::size_t shared_bytes) {
    allow<T>(Team::cluster, shared_bytes);
    cudaLaunchConfig_t config{};
    config.gridDim = 16;
    config.blockDim = static_cast<unsigned>(threads);
    config.dynamicSmemBytes = shared_bytes;
    int blocks = 0;
    if (cudaOccupancyMaxPotentialClusterSize(&blocks, kernel_of<T>(Team::cluster), &config) == cudaSuccess)
        return std::min(blocks, 16);
    static_cast<void>(cudaGetLastError());  // a GPU without clusters
    return 0;
}

template <class T>
PersistentLimits limits(int threads) {
    PersistentLimits found;
    const std::size_t bytes = std::min(dynamic_bytes<T>(Team::grid), dynamic_bytes<T>(Team::cluster));
    found.shared_bytes = bytes;
    if (cuda::device_attribute(cudaDevAttrCooperativeLaunch) != 0)
        found.multiprocessors = cuda::device_attribute(cudaDevAttrMultiProcessorCount);
    if (cuda::compiled_for() >= 90) found.cluster_blocks = cluster_blocks<T>(threads, bytes);
    return found;
}

template <class T>
void launch(const PersistentPlan& plan, const Persistent<T>& p, cudaStream_t stream) {
    allow<T>(plan.team, plan.shared_bytes);
    cudaLaunchAttribute together{};
    if (plan.team == Team::cluster) {
        together.id = cudaLaunchAttributeClusterDimension;
        together.val.clusterDim = {static_cast<unsigned>(plan.blocks()), 1, 1};
    } else {
        together.id = cudaLaunchAttributeCooperative;
        together.val.cooperative = 1;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(plan.blocks());
    config.blockDim = static_cast<unsigned>(plan.threads);
    config.dynamicSmemBytes = plan.shared_bytes;
    config.stream = stream;
    config.attrs = &together;
    config.numAttrs = 1;
    TILESPMV_CUDA(cudaLaunchKernelEx(&config, kernel_of<T>(plan.team), p));
}

}  // namespace

PersistentLimits persistent_limits(std::size_t value_bytes, int threads) {
    return value_bytes == sizeof(double) ? limits<double>(threads) : limits<float>(threads);
}

template <class T>
PersistentIterations<T>::PersistentIterations(const CsrMatrix<T>& a, PersistentPlan plan, const cuda::DeviceContext& on)
    : on_(on),
      plan_(std::move(plan)),
      row_ptrs_(a.row_ptrs.size(), on),
      col_idxs_(a.col_idxs, on),
      values_(a.values, on),
      first_rows_(std::span<const index_t>(plan_.first_rows), on),
      meetings_(static_cast<std::size_t>(plan_.blocks()) * (1 + 2 * kMostSums * 2), on) {
    const Buffer<std::uint32_t> row_ptrs = cuda::narrowed(a.row_ptrs);
    row_ptrs_.upload({reinterpret_cast<const std::int32_t*>(row_ptrs.data()), row_ptrs.size()}, on.stream);
    TILESPMV_CUDA(cudaMemsetAsync(meetings_.data(), 0, meetings_.bytes(), on.stream));
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
}

template <class T>
void PersistentIterations<T>::run(int count, Method method, const Iterates<T>& v, const DiagonalView<T>& m,
                                  Scalars* scalars) {
    // Sums first: they are stored in steps of 16 bytes.
    auto* const sums = reinterpret_cast<NumberedSum*>(meetings_.data());
    const GridMeetings meetings{meetings_.data() + std::size_t{2} * kMostSums * 2 * plan_.blocks(), sums, met_};
    met_ += 2 * static_cast<unsigned long long>(count) + 2;
    const Persistent<T> p{row_ptrs_.data(),
                          col_idxs_.data(),
                          values_.data(),
                          first_rows_.data(),
                          {m},
                          v.x.data,
                          v.r.data,
                          v.w.data,
                          v.s.data,
                          v.p.data,
                          v.q.data,
                          scalars,
                          method,
                          count,
                          plan_.row_threads,
                          static_cast<index_t>(row_ptrs_.size() - 1),
                          plan_.most_rows,
                          plan_.most_nonzeros,
                          plan_.keeps_matrix,
                          meetings};
    launch(plan_, p, on_.stream);
}

template <class T>
void PersistentIterations<T>::update_values(std::span<const T> values) {
    if (values.size() != values_.size()) {
        throw Error("a matrix of " + std::to_string(values_.size()) + " nonzeros was given " +
                    std::to_string(values.size()) + " new values");
    }
    values_.upload(values, on_.stream);
    TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
}

template class PersistentIterations<double>;
template class PersistentIterations<float>;

}  // namespace tilespmv::solver
