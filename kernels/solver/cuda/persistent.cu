#include "kernels/solver/cuda/persistent.hpp"

#include "kernels/cuda/device_attribute.hpp"
#include "kernels/cuda/device_csr.hpp"
#include "kernels/cuda/device_rows.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/pinned_memory.hpp"
#include "kernels/solver/cuda/persistent.cuh"

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

template <class P>
struct RowsToDivide {
    const P* row_ptrs = nullptr;
    index_t rows = 0;
    int blocks = 0;
    double row_cost = 0;
    RowStart* starts = nullptr;  ///< one more than there are blocks, in memory of the host

    [[nodiscard]] __device__ double before(index_t row) const {
        return static_cast<double>(row_ptrs[row]) + __dmul_rn(row_cost, row);  // rounded as on the host
    }
};

/// By a thread for each start.
template <class P>
__global__ void __launch_bounds__(kMostTeamBlocks + 1) divide_rows(RowsToDivide<P> p) {
    const auto i = static_cast<int>(threadIdx.x);
    if (i > p.blocks) return;
    const double wanted = p.before(p.rows) * i / p.blocks;
    index_t row = i == p.blocks ? p.rows : 0;
    for (index_t end = p.rows; row < end;) {
        const index_t middle = row + (end - row) / 2;
        if (p.before(middle) < wanted) {
            row = middle + 1;
        } else {
            end = middle;
        }
    }
    p.starts[i] = {row, static_cast<offset_t>(p.row_ptrs[row])};
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

std::vector<RowStart> even_rows_there(const cuda::DevicePattern& a, int blocks, double row_cost, cudaStream_t stream) {
    const auto count = static_cast<std::size_t>(blocks) + 1;
    const cuda::PinnedMemory memory(count * sizeof(RowStart));
    auto* const starts = reinterpret_cast<RowStart*>(memory.data());
    std::visit(
        [&]<class P>(const P* row_ptrs) {
            cuda::launch(divide_rows<P>, 1, kMostTeamBlocks + 1,
                         RowsToDivide<P>{row_ptrs, a.rows, blocks, row_cost, starts}, stream);
        },
        a.row_ptrs);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    return {starts, starts + count};
}

template <class T>
PersistentIterations<T>::PersistentIterations(const SystemMatrix<T>& a, PersistentPlan plan,
                                              const cuda::DeviceContext& on)
    : on_(on),
      plan_(std::move(plan)),
      csr_(a.source(), on),
      first_rows_(std::span<const index_t>(plan_.first_rows), on),
      meetings_(static_cast<std::size_t>(plan_.blocks()) * (1 + 2 * kMostSums * 2), on) {
    TILESPMV_CUDA(cudaMemsetAsync(meetings_.data(), 0, meetings_.bytes(), on.stream));
    const auto* const narrow = a.there == nullptr ? nullptr : std::get_if<const std::int32_t*>(&a.there->row_ptrs);
    if (narrow != nullptr) {
        row_ptrs_ = reinterpret_cast<const std::uint32_t*>(*narrow);  // the same bits
        return;
    }
    own_row_ptrs_ = cuda::DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(plan_.first_rows.back()) + 1, on);
    row_ptrs_ = own_row_ptrs_.data();
    if (a.there != nullptr) {
        cuda::copy_row_ptrs(cuda::pattern_of(*a.there), own_row_ptrs_.data(), on.stream);
        return;
    }
    const Buffer<std::uint32_t> row_ptrs = cuda::narrowed(a.here->row_ptrs);
    own_row_ptrs_.upload({row_ptrs.data(), row_ptrs.size()}, on.stream);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
}

template <class T>
void PersistentIterations<T>::run(int count, Method method, const Iterates<T>& v, const DiagonalView<T>& m,
                                  Scalars* scalars) {
    // Sums first: they are stored in steps of 16 bytes.
    auto* const sums = reinterpret_cast<NumberedSum*>(meetings_.data());
    const GridMeetings meetings{meetings_.data() + std::size_t{2} * kMostSums * 2 * plan_.blocks(), sums, met_};
    met_ += 2 * static_cast<unsigned long long>(count) + 2;
    const Persistent<T> p{row_ptrs_,
                          csr_.columns(),
                          csr_.values(),
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
                          plan_.first_rows.back(),
                          plan_.most_rows,
                          plan_.most_nonzeros,
                          plan_.keeps_matrix,
                          meetings};
    launch(plan_, p, on_.stream);
}

template <class T>
void PersistentIterations<T>::update_values(const Block<const T>& values) {
    if (values.memory == Memory::device) return;  // they are read where they are
    csr_.replace_values({values.data, values.rows}, on_.stream);
    TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
}

template class PersistentIterations<double>;
template class PersistentIterations<float>;

}  // namespace tilespmv::solver
