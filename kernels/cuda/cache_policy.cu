#include "kernels/cuda/cache_policy.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/cuda/device_attribute.hpp"
#include "kernels/cuda/launch.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kSteps = 16;  ///< of the share that is kept: a policy has no finer ones

/// By steps. Threads that make the same one write the same.
__device__ std::uint64_t made_policies[kSteps + 1];

__global__ void create_policy(int step) {
    std::uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    if (step > 0) {
        const float kept = static_cast<float>(step) / kSteps;
        asm("createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 %0, %1;" : "=l"(policy) : "f"(kept));
    } else {
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    }
#endif
    made_policies[step] = policy;
}

std::uint64_t make_policy(int step, cudaStream_t stream) {
    launch(create_policy, 1, 1, step, stream);
    std::uint64_t policy = 0;
    TILESPMV_CUDA(cudaMemcpyFromSymbolAsync(&policy, made_policies, sizeof policy,
                                            static_cast<std::size_t>(step) * sizeof policy, cudaMemcpyDeviceToHost,
                                            stream));
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    return policy;
}

}  // namespace

std::uint64_t make_cache_policy(double kept, const DeviceContext& on) {
    const auto step = static_cast<int>(std::clamp(kept, 0.0, 1.0) * kSteps);
    int device = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    thread_local std::map<std::pair<int, int>, std::uint64_t> known;  // a launch takes as long as a small upload
    const auto at = known.find({device, step});
    if (at != known.end()) return at->second;
    return known[{device, step}] = make_policy(step, on.stream);
}

std::size_t l2_bytes() { return static_cast<std::size_t>(device_attribute(cudaDevAttrL2CacheSize)); }

}  // namespace tilespmv::cuda
