#pragma once

#include <string>

#include <cuda_runtime.h>

#include "kernels/cuda/dependent_launch.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "tile/error.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// Calls f.operator()<N>() for the one N of `kValues` that equals `value`. Throws `Error` if there is none.
template <int... kValues, class F>
void with_constant(int value, F&& f) {
    const bool found = ((value == kValues ? (f.template operator()<kValues>(), true) : false) || ...);
    if (!found) throw Error("no kernel was compiled for the choice " + std::to_string(value));
}

/// Launches `kernel` with one parameter struct and as many bytes of dynamic shared memory; nothing if there are no
/// blocks.
template <class Parameters>
void launch(void (*kernel)(Parameters), std::int64_t blocks, int threads, const Parameters& parameters,
            cudaStream_t stream, std::size_t shared_bytes = 0) {
    if (blocks == 0) return;
    kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared_bytes, stream>>>(parameters);
    TILESPMV_CUDA(cudaGetLastError());
}

/// The same for a kernel that calls `wait_for_stream`: it may start before the kernel before it is complete, where the
/// GPU can do that.
template <class Parameters>
void launch_dependent(void (*kernel)(Parameters), std::int64_t blocks, int threads, const Parameters& parameters,
                      cudaStream_t stream, std::size_t shared_bytes = 0) {
    if (blocks == 0) return;
    launch_dependent({.kernel = reinterpret_cast<const void*>(kernel),
                      .blocks = static_cast<unsigned>(blocks),
                      .threads = static_cast<unsigned>(threads),
                      .shared_bytes = static_cast<unsigned>(shared_bytes)},
                     &parameters, stream);
}

}  // namespace tilespmv::cuda
