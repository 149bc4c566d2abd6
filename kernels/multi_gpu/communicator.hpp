#pragma once

#include <cstddef>

#include "kernels/multi_gpu/halo_plan.hpp"

namespace tilespmv::multi_gpu {

/// How ranks, which each have a part of the rows, speak to each other. Every rank has one, and all of them make the
/// same calls in the same order. Memory is that of the rank's vectors: of the host, or of its GPU.
class Communicator {
public:
    Communicator() = default;
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    virtual ~Communicator() = default;

    [[nodiscard]] virtual int size() const = 0;

    /// Sends `sent`, the values of `plan.sent` in their order, and fills `halo` with those of `plan.halo_cols`; both of
    /// `value_bytes` each. On a GPU in the order of `stream`, a cudaStream_t; on the CPU it returns when all is there.
    virtual void exchange(const HaloPlan& plan, const void* sent, void* halo, std::size_t value_bytes,
                          void* stream) = 0;
    /// all[k * count + i] = own[i] of rank k, for each of size() ranks. As `exchange` otherwise.
    virtual void all_gather(const double* own, int count, double* all, void* stream) = 0;
    /// Ends what ranks wait for, from any thread; it is of no more use.
    virtual void abort() noexcept {}
};

}  // namespace tilespmv::multi_gpu
