#include "selector/tuning.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace tilespmv {
namespace {

struct Measured {
    int compute_capability;
    std::size_t value_bytes;
    Tuning tuning;
};

/// By GPU, each with values of 8, 4 and 2 bytes; the first one stands for those that are not listed.
const std::array kMeasured{
    // NVIDIA H200
    Measured{90,
             8,
             {.merge = {.few = 450'000},
              .strips = {.short_row = 5, .rank_blocks = 12},
              .sell = {.warps_per_multiprocessor = 40}}},
    Measured{90, 4, {.inodes = {.value_latency = 3.3, .converted_latency = 14}, .dia = {.pair_places = 10'000'000}}},
    Measured{90,
             2,
             {.dia = {.pair_places = std::numeric_limits<offset_t>::max()}, .sell = {.warps_per_multiprocessor = 45}}},
};

}  // namespace

const Tuning& tuning_for(int compute_capability, std::size_t value_bytes) {
    const auto rank = [&](const Measured& entry) {  // the GPU matters less than the values
        return 2 * (entry.value_bytes == value_bytes) + (entry.compute_capability == compute_capability);
    };
    return std::ranges::max_element(kMeasured, {}, rank)->tuning;
}

namespace {

/// What was measured.
constexpr GpuFigures kH200{90, 132, 64, 60 << 20, 4.917e12};

void scale(offset_t& figure, double by) {
    const double most = 0x1p62;  // where there is no limit
    figure = static_cast<offset_t>(std::min(static_cast<double>(figure) * by, most));
}

}  // namespace

Gpu gpu_of(const GpuFigures& figures, std::size_t value_bytes) {
    Gpu gpu{figures.multiprocessors, figures.warps, tuning_for(figures.compute_capability, value_bytes)};
    Tuning& t = gpu.tuning;
    const double busy = figures.multiprocessors / static_cast<double>(kH200.multiprocessors);
    t.vector.concurrent_rounds *= busy;
    for (offset_t* const figure : {&t.merge.few, &t.strips.busy_from, &t.strips.one_group_from}) {
        scale(*figure, busy);
    }
    scale(t.dia.pair_places, figures.l2_bytes / kH200.l2_bytes);
    t.memory.l2_bytes = figures.l2_bytes;
    t.memory.l2_bytes_per_s *= busy;
    if (figures.memory_bytes_per_s > 0) {
        t.memory.read_bytes_per_s *= figures.memory_bytes_per_s / kH200.memory_bytes_per_s;
        t.memory.copy_bytes_per_s *= figures.memory_bytes_per_s / kH200.memory_bytes_per_s;
    }
    return gpu;
}

Gpu measured_gpu(std::size_t value_bytes) { return gpu_of(kH200, value_bytes); }

}  // namespace tilespmv
