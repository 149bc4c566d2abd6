#include <algorithm>

#include <omp.h>

#include "bench/harness/machine.hpp"
#include "bench/harness/measurer.hpp"
#include "kernels/cpu/processor.hpp"
#include "kernels/cuda/this_probe.hpp"

namespace tilespmv::bench {
namespace {

Probe probe_cpu(Device& device) {
    constexpr int kPasses = 10;
    const Machine machine = this_machine();
    const int threads = omp_get_max_threads();
    const std::size_t cache = device.cache_bytes();
    return {.name = cpu::processor_name(),
            .multiprocessors = threads,
            .memory_bytes = static_cast<double>(machine.memory_bytes),
            .cache_rate = measure_bandwidth(device.stopwatch(), cache / 2, kPasses).read};
}

}  // namespace

Probe probe_of(Device& device) {
    Probe probe = device.backend() == Backend::cpu ? probe_cpu(device) : cuda::measure_probe();
    const Bandwidth& bandwidth = device.bandwidth();
    probe.cache_bytes = static_cast<double>(device.cache_bytes());
    probe.read_rate = bandwidth.read;
    probe.copy_rate = bandwidth.copy;
    probe.triad_rate = bandwidth.triad;
    // Of a cache that is hardly faster, what was measured last may be less.
    probe.cache_rate = std::max(probe.cache_rate, probe.read_rate);
    return probe;
}

}  // namespace tilespmv::bench
