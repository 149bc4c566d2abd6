#include "selector/models/probe.hpp"

namespace tilespmv {

const Probe& probe_of_h200() {
    static const Probe probe{.name = "NVIDIA H200",
                             .is_gpu = true,
                             .multiprocessors = 132,
                             .registers = 65536,
                             .shared_bytes = 228 << 10,
                             .threads = 2048,
                             .blocks = 32,
                             .cache_bytes = 60 << 20,
                             .memory_bytes = 150e9,
                             .read_rate = 4.61e12,
                             .copy_rate = 4.08e12,
                             .triad_rate = 4.31e12,
                             .cache_rate = 9.41e12,
                             .loop_launch_seconds = 3.89e-6,
                             .graph_launch_seconds = 0.499e-6};
    return probe;
}

Gpu with_measured_rates(Gpu gpu, const Probe& probe) {
    const auto scale = [&probe](double& figure, double Probe::*measured) {
        if (probe.*measured > 0) figure *= probe.*measured / (probe_of_h200().*measured);
    };
    MemoryTuning& memory = gpu.tuning.memory;
    scale(memory.read_bytes_per_s, &Probe::read_rate);
    scale(memory.copy_bytes_per_s, &Probe::copy_rate);
    scale(memory.l2_bytes_per_s, &Probe::cache_rate);
    scale(memory.launch_seconds, &Probe::loop_launch_seconds);
    for (double* const figure : {&memory.graph_launch_seconds, &memory.meeting_seconds, &memory.peer_sum_seconds}) {
        scale(*figure, &Probe::graph_launch_seconds);
    }
    return gpu;
}

}  // namespace tilespmv
