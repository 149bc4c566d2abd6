#include "kernels/multi_gpu/communicated_halo.hpp"

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/load.cuh"

namespace tilespmv::multi_gpu {
namespace {

constexpr int kThreads = 128;

/// sent[i] = x[entries[i]]
template <class V>
struct Pack {
    std::int64_t count = 0;
    const index_t* entries = nullptr;
    const V* x = nullptr;
    V* sent = nullptr;
};

template <class V>
__global__ void pack(const __grid_constant__ Pack<V> p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    const index_t entry = i < p.count ? cuda::load_often(p.entries + i) : 0;
    cuda::wait_for_stream();
    if (i < p.count) p.sent[i] = cuda::load_x(p.x + entry);
}

}  // namespace

template <class V>
CommunicatedHalo<V>::CommunicatedHalo(const HaloPlan& plan, Communicator& communicator, const cuda::DeviceContext& on)
    : plan_(&plan),
      communicator_(&communicator),
      entries_(std::span<const index_t>(plan.sent), on),
      sent_(plan.sent.size(), on),
      halo_(plan.halo_cols.size(), on) {
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
}

/// The next one follows the boundary, which follows the exchange: nothing is packed into what is still being sent, nor
/// received into what is still read.
template <class V>
void CommunicatedHalo<V>::begin(const V* x, cudaStream_t stream) {
    const auto count = static_cast<std::int64_t>(sent_.size());
    const Pack<V> parameters{count, entries_.data(), x, sent_.data()};
    cuda::launch_dependent(pack<V>, div_up(count, kThreads), kThreads, parameters, stream);
    side_.leave(stream);
    communicator_->exchange(*plan_, sent_.data(), halo_.data(), sizeof(V), side_.get());
}

template class CommunicatedHalo<double>;
template class CommunicatedHalo<float>;

}  // namespace tilespmv::multi_gpu
