#pragma once

#include <string>

#include "selector/tuning.hpp"

namespace tilespmv {

/// What models need to know of a machine: attributes, and what was measured on it.
struct Probe {
    std::string name;     ///< of the GPU, or of the processor and its threads
    bool is_gpu = false;  ///< else a CPU, of which only bandwidths and sizes of memory are known

    int multiprocessors = 0;  ///< on a CPU the threads
    // Of a multiprocessor:
    int registers = 0;
    double shared_bytes = 0;
    int threads = 0;
    int blocks = 0;

    double cache_bytes = 0;  ///< L2, or the last level of a CPU
    double memory_bytes = 0;

    // Bytes a second:
    double read_rate = 0;   ///< from memory
    double copy_rate = 0;   ///< read and written
    double triad_rate = 0;  ///< read and written
    double cache_rate = 0;  ///< read from the cache of `cache_bytes`

    // Seconds of a kernel that does nothing, one after the other; 0 on a CPU:
    double loop_launch_seconds = 0;
    double graph_launch_seconds = 0;

    friend bool operator==(const Probe&, const Probe&) = default;
};

/// The H200 by whose times the rules and `Tuning` predict, as its own probe says.
const Probe& probe_of_h200();

/// A GPU whose figures of memory and launches differ from those of the H200 as its probe does from the H200's; where a
/// probe says nothing, they do not.
Gpu with_measured_rates(Gpu gpu, const Probe& probe);

}  // namespace tilespmv
