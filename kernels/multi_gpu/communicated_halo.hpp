#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/multi_gpu/communicator.hpp"
#include "kernels/multi_gpu/halo_exchange.hpp"
#include "kernels/multi_gpu/side_stream.hpp"

namespace tilespmv::multi_gpu {

/// By a communicator: a kernel packs what others need, and the exchange travels on a stream of its own.
template <class V>
class CommunicatedHalo final : public HaloExchange<V> {
public:
    /// `communicator` and `plan` outlive the object.
    CommunicatedHalo(const HaloPlan& plan, Communicator& communicator, const cuda::DeviceContext& on);

    void begin(const V* x, cudaStream_t stream) override;
    void finish(cudaStream_t stream) override { side_.come_back(stream); }
    [[nodiscard]] const V* halo() const override { return halo_.data(); }
    [[nodiscard]] bool lets_next_start() const override { return false; }
    [[nodiscard]] std::size_t device_bytes() const override { return entries_.bytes() + sent_.bytes() + halo_.bytes(); }

private:
    const HaloPlan* plan_;
    Communicator* communicator_;
    cuda::DeviceBuffer<index_t> entries_;
    cuda::DeviceBuffer<V> sent_;
    cuda::DeviceBuffer<V> halo_;
    SideStream side_;
};

}  // namespace tilespmv::multi_gpu
