#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace tilespmv::multi_gpu {

/// How a rank gets the values of x that other ranks have, while it multiplies by its own. All ranks do the same in the
/// same order, each `begin` followed by a `finish` on the same stream; nothing of it waits for the host while it is
/// recorded into a graph.
template <class V>
class HaloExchange {
public:
    HaloExchange() = default;
    HaloExchange(const HaloExchange&) = delete;
    HaloExchange& operator=(const HaloExchange&) = delete;
    virtual ~HaloExchange() = default;

    /// Sends what others need of `x`, the rank's own values, which what follows on the stream may change.
    virtual void begin(const V* x, cudaStream_t stream) = 0;
    /// What follows on the stream finds the halo.
    virtual void finish(cudaStream_t stream) = 0;
    /// In the order of the plan, until the next `begin`.
    [[nodiscard]] virtual const V* halo() const = 0;
    /// What follows `finish` may start before it is complete: it ends in a kernel that lets it.
    [[nodiscard]] virtual bool lets_next_start() const = 0;
    [[nodiscard]] virtual std::size_t device_bytes() const = 0;
};

}  // namespace tilespmv::multi_gpu
