#include "kernels/cuda/this_probe.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/graph.hpp"
#include "kernels/cuda/memory_rates.hpp"
#include "kernels/cuda/probe.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "selector/models/profile_file.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kPasses = 5;

void launch_empty_kernels(int count, cudaStream_t stream) {
    for (int i = 0; i < count; ++i)
        TILESPMV_CUDA(cudaLaunchKernel(probe_kernel(), dim3(1), dim3(32), nullptr, 0, stream));
}

/// Of one of many launches, one after the other: what more of them take. `launch(count)` puts so many on the stream.
template <class F>
double launch_seconds(cudaStream_t stream, F&& launch) {
    constexpr int kFew = 32;
    constexpr int kMany = 160;
    Event start;
    Event end;
    const auto seconds_of = [&](int count) {
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < kPasses; ++i) {
            start.record(stream);
            launch(count);
            end.record(stream);
            end.synchronize();
            least = std::min(least, end.seconds_since(start));
        }
        return least;
    };
    seconds_of(1);
    return std::max(0.0, (seconds_of(kMany) - seconds_of(kFew)) / (kMany - kFew));
}

double graph_launch_seconds(cudaStream_t stream) {
    std::map<int, Graph> graphs;
    return launch_seconds(stream, [&](int count) {
        const auto made = graphs.try_emplace(count, stream, [&] { launch_empty_kernels(count, stream); });
        made.first->second.launch();
    });
}

void measure_memory(Probe& probe, std::size_t l2_bytes, cudaStream_t stream) {
    constexpr std::size_t kLeastBytes = std::size_t{256} << 20;
    std::size_t free = 0;
    std::size_t total = 0;
    TILESPMV_CUDA(cudaMemGetInfo(&free, &total));
    const MemoryRates rates =
        measure_memory_rates(stream, std::min(std::max(8 * l2_bytes, kLeastBytes), free / 4), kPasses);
    probe.read_rate = rates.read;
    probe.copy_rate = rates.copy;
    probe.triad_rate = rates.triad;
    probe.cache_rate = measure_cache_rate(stream, l2_bytes / 2, kPasses);
}

}  // namespace

Probe measure_probe() {
    const DeviceInfo device = require_device();
    const Stream stream;
    Probe probe{.name = device.name,
                .is_gpu = true,
                .multiprocessors = device.multiprocessors,
                .registers = device.registers_per_multiprocessor,
                .shared_bytes = static_cast<double>(device.shared_bytes_per_multiprocessor),
                .threads = 32 * device.max_warps_per_multiprocessor,
                .blocks = device.max_blocks_per_multiprocessor,
                .cache_bytes = static_cast<double>(device.l2_bytes),
                .memory_bytes = static_cast<double>(device.memory_bytes)};
    probe.loop_launch_seconds =
        launch_seconds(stream.get(), [&](int count) { launch_empty_kernels(count, stream.get()); });
    probe.graph_launch_seconds = graph_launch_seconds(stream.get());
    try {
        measure_memory(probe, device.l2_bytes, stream.get());
    } catch (const Error&) {  // no memory is left: predictions are those of the H200's memory
    }
    return probe;
}

const Probe& this_probe() {
    static std::mutex mutex;
    static auto& known = *new std::map<int, Probe>;  // references stay valid to the end of the program
    int at = 0;
    if (cudaGetDevice(&at) != cudaSuccess) static_cast<void>(require_device());  // says why
    const std::scoped_lock lock(mutex);
    const auto found = known.find(at);
    if (found != known.end()) return found->second;
    const auto profiled = probe_of_profile(require_device().name);
    return known.emplace(at, profiled ? *profiled : measure_probe()).first->second;
}

Gpu gpu_to_choose_for(std::size_t value_bytes) { return with_measured_rates(this_gpu(value_bytes), this_probe()); }

}  // namespace tilespmv::cuda
