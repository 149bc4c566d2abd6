#include "kernels/solver/cuda/persistent.hpp"

#include "kernels/cuda/device_attribute.hpp"
#include "kernels/cuda/device_csr.hpp"
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
PersistentLimits limits() {
    cudaFuncAttributes attributes{};
    TILESPMV_CUDA(cudaFuncGetAttributes(&attributes, persistent_grid<T>));
    PersistentLimits found;
    found.shared_bytes = static_cast<std::size_t>(cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
                         attributes.sharedSizeBytes;
    if (cuda::device_attribute(cudaDevAttrCooperativeLaunch) != 0)
        found.multiprocessors = cuda::device_attribute(cudaDevAttrMultiProcessorCount);
    return found;
}

template <class T>
void launch(const PersistentPlan& plan, const Persistent<T>& p, cudaStream_t stream) {
    TILESPMV_CUDA(cudaFuncSetAttribute(persistent_grid<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(plan.shared_bytes)));
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(plan.blocks());
    config.blockDim = static_cast<unsigned>(plan.threads);
    config.dynamicSmemBytes = plan.shared_bytes;
    config.stream = stream;
    config.attrs = &together;
    config.numAttrs = 1;
    TILESPMV_CUDA(cudaLaunchKernelEx(&config, persistent_grid<T>, p));
}

}  // namespace

PersistentLimits persistent_limits(std::size_t value_bytes) {
    return value_bytes == sizeof(double) ? limits<double>() : limits<float>();
}

template <class T>
PersistentIterations<T>::PersistentIterations(const Source<T>& a, PersistentPlan plan, const cuda::DeviceContext& on)
    : on_(on),
      plan_(std::move(plan)),
      row_ptrs_(static_cast<std::size_t>(a.rows()) + 1, on),
      col_idxs_(cuda::columns_on_device(a, on)),
      values_(cuda::values_on_device(a, on)),
      first_rows_(std::span<const index_t>(plan_.first_rows), on),
      meetings_(static_cast<std::size_t>(plan_.blocks()) * (1 + 2 * kMostSums * 2), on) {
    Buffer<std::uint32_t> row_ptrs;  // until they are there
    if (const auto* const there = cuda::csr_only_on_device(a)) {
        cuda::copy_row_ptrs(cuda::pattern_of(*there), row_ptrs_.data(), on.stream);
    } else {
        row_ptrs = cuda::narrowed(a.row_ptrs());
        row_ptrs_.upload({row_ptrs.data(), row_ptrs.size()}, on.stream);
    }
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
void PersistentIterations<T>::update_values(const Block<const T>& values) {
    if (values.rows != values_.size()) {
        throw Error("a matrix of " + std::to_string(values_.size()) + " nonzeros was given " +
                    std::to_string(values.rows) + " new values");
    }
    if (values.memory == Memory::device) {
        cuda::copy_there(values_.data(), values.data, values.rows, on_.stream);
    } else {
        values_.upload({values.data, values.rows}, on_.stream);
    }
    TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
}

template class PersistentIterations<double>;
template class PersistentIterations<float>;

}  // namespace tilespmv::solver
