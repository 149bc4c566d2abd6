#include "kernels/solver/cuda/host_inner_products.hpp"

#include "kernels/cuda/dependent_launch.hpp"
#include "kernels/solver/cuda/vector_launch.cuh"
#include "kernels/solver/cuda/vector_ops.cuh"

namespace tilespmv::solver {
namespace {

template <class Op>
struct LeavePartials : Elementwise<Op> {
    double* partials = nullptr;  ///< kSums for each block
};

template <int kCount, class Op>
__global__ void __launch_bounds__(kMostThreads, 1) leave_partials(const __grid_constant__ LeavePartials<Op> p) {
    __shared__ BlockSums<Op::kSums> stage;
    cuda::wait_for_stream();
    Op op = p.op;
    op.start();
    double sums[Op::kSums] = {};
    over_vector<kCount>(p.n, p.elements, op, sums);
    sum_over_block(sums, stage);
    if (threadIdx.x != 0) return;
#pragma unroll
    for (int k = 0; k < Op::kSums; ++k) p.partials[blockIdx.x * Op::kSums + k] = sums[k];
}

/// Of blocks of one warp, whose threads take a value each.
std::size_t most_blocks(std::size_t n) { return static_cast<std::size_t>(blocks_for({cuda::kWarpSize, 1, 0}, n)); }

double* page_locked(std::size_t size) {
    double* data = nullptr;
    TILESPMV_CUDA(cudaMallocHost(reinterpret_cast<void**>(&data), size * sizeof(double)));
    return data;
}

}  // namespace

template <class T>
struct HostInnerProducts<T>::Host {
    explicit Host(std::size_t size) : partials(page_locked(size)), sums(page_locked(kMostSums)) {}
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;
    ~Host() {
        static_cast<void>(cudaFreeHost(partials));
        static_cast<void>(cudaFreeHost(sums));
    }

    /// In the order of blocks.
    void add(int blocks) const {
        for (int k = 0; k < kMostSums; ++k) sums[k] = 0;
        for (int i = 0; i < blocks * kMostSums; ++i) sums[i % kMostSums] += partials[i];
    }

    double* partials;
    double* sums;
};

template <class T>
HostInnerProducts<T>::HostInnerProducts(std::size_t n, const cuda::DeviceContext& on)
    : n_(n),
      on_(on),
      partials_(most_blocks(n) * kMostSums, on),
      host_(std::make_unique<Host>(most_blocks(n) * kMostSums)) {}

template <class T>
HostInnerProducts<T>::~HostInnerProducts() {
    static_cast<void>(cudaStreamSynchronize(on_.stream));
}

template <class T>
void HostInnerProducts<T>::run(const Iterates<T>& v, const Finish& finish, const LaunchShape& shape) {
    using Op = InnerProducts<T>;
    static_assert(Op::kSums == kMostSums);
    const LeavePartials<Op> p{
        {Op{{finish.scalars}, v.r.data, v.w.data, v.s.data}, static_cast<std::int64_t>(n_), shape.elements},
        partials_.data()};
    launch_shaped<kPackSize<T>>(leave_partials<kPackSize<T>, Op>, leave_partials<1, Op>, p, shape,
                                are_aligned({v.r.data, v.w.data, v.s.data}), on_.stream);
    const int blocks = blocks_for(shape, n_);
    const std::size_t bytes = static_cast<std::size_t>(blocks) * kMostSums * sizeof(double);
    TILESPMV_CUDA(cudaMemcpyAsync(host_->partials, partials_.data(), bytes, cudaMemcpyDeviceToHost, on_.stream));
    Addition& addition = additions_[blocks] = {host_.get(), blocks};
    const auto add = [](void* what) {
        const auto& [host, count] = *static_cast<Addition*>(what);
        host->add(count);
    };
    TILESPMV_CUDA(cudaLaunchHostFunc(on_.stream, add, &addition));
    TILESPMV_CUDA(
        cudaMemcpyAsync(finish.sums, host_->sums, kMostSums * sizeof(double), cudaMemcpyHostToDevice, on_.stream));
    cuda::launch_barrier(on_.stream);  // a kernel can start early only after another one
}

template <class T>
int HostInnerProducts<T>::resident_blocks(const LaunchShape& shape) {
    using Op = InnerProducts<T>;
    const bool takes_packs = shape.elements % kPackSize<T> == 0;
    return resident_blocks_of(takes_packs ? leave_partials<kPackSize<T>, Op> : leave_partials<1, Op>, shape.threads);
}

template class HostInnerProducts<double>;
template class HostInnerProducts<float>;

}  // namespace tilespmv::solver
