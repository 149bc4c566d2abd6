#include "bench/harness/cuda_device.hpp"
#include "bench/harness/cuda_stream_device.hpp"
#include "bench/harness/repeats.hpp"
#include "kernels/cuda/memory_rates.hpp"

namespace tilespmv::bench {
namespace {

__global__ void empty_kernel() {}

double launch_seconds(CudaDevice& device, bool in_graph) {
    constexpr RepeatRule kRule{.seconds = 4e-4, .stretches = 9, .most_repeats = 256};
    RepeatRule rule = kRule;
    rule.in_graph = in_graph;
    const auto launch = [stream = device.stream()] {
        empty_kernel<<<1, 32, 0, stream>>>();
        TILESPMV_CUDA(cudaGetLastError());
    };
    return seconds_of_repeat(device, launch, rule);
}

}  // namespace

Probe probe_cuda(Device& any_device) {
    constexpr int kPasses = 10;
    auto& device = dynamic_cast<CudaDevice&>(any_device);
    const cuda::DeviceInfo info = cuda::require_device();
    Probe probe{.name = info.name,
                .is_gpu = true,
                .multiprocessors = info.multiprocessors,
                .registers = info.registers_per_multiprocessor,
                .shared_bytes = static_cast<double>(info.shared_bytes_per_multiprocessor),
                .threads = info.max_warps_per_multiprocessor * 32,
                .blocks = info.max_blocks_per_multiprocessor,
                .memory_bytes = static_cast<double>(info.memory_bytes)};
    probe.cache_rate = cuda::measure_cache_rate(device.stream(), info.l2_bytes / 2, kPasses);
    probe.loop_launch_seconds = launch_seconds(device, false);
    probe.graph_launch_seconds = launch_seconds(device, true);
    return probe;
}

}  // namespace tilespmv::bench
