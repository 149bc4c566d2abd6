#include "kernels/cuda/cache_policy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"

namespace tilespmv::cuda {
namespace {

struct CreatePolicy {
    float kept = 0;
    std::uint64_t* policy = nullptr;
};

__global__ void create_policy(CreatePolicy p) {
    std::uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    if (p.kept > 0) {
        asm("createpolicy.fractional.L2::evict_normal.L2::evict_first.b64 %0, %1;" : "=l"(policy) : "f"(p.kept));
    } else {
        asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    }
#endif
    *p.policy = policy;
}

std::uint64_t make_policy(float kept, const DeviceContext& on) {
    const DeviceBuffer<std::uint64_t> made(1, on);
    launch(create_policy, 1, 1, CreatePolicy{kept, made.data()}, on.stream);
    std::uint64_t policy = 0;
    made.download({&policy, 1}, on.stream);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    return policy;
}

}  // namespace

std::uint64_t make_cache_policy(double kept, const DeviceContext& on) {
    constexpr int steps = 16;  // a policy has no finer ones
    const auto step = static_cast<int>(std::lround(std::clamp(kept, 0.0, 1.0) * steps));
    int device = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    thread_local std::map<std::pair<int, int>, std::uint64_t> known;  // a launch takes as long as a small upload
    const auto at = known.find({device, step});
    if (at != known.end()) return at->second;
    return known[{device, step}] = make_policy(static_cast<float>(step) / steps, on);
}

std::size_t l2_bytes() {
    int device = 0;
    int bytes = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    TILESPMV_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device));
    return static_cast<std::size_t>(bytes);
}

}  // namespace tilespmv::cuda
