#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/timer.hpp"

namespace tilespmv::bench {

/// When to stop sampling: once there are `min_samples` that took `min_seconds` together and the noise of their median
/// (`Summary::noise`) is at most `noise`; and in any case at `max_samples`, or when they took `max_seconds`.
struct StoppingRule {
    int min_samples = 10;
    int max_samples = 2000;
    double min_seconds = 0.3;
    double max_seconds = 5;
    double noise = 0.02;
    /// Whether workloads that are sampled in turn all go on until the last of them may stop. Else each stops by itself.
    bool together = true;
};

/// Something to be measured. A sample is the time of `batch` calls of `run`, of `products` products each, after one
/// call of `prepare` that is not timed but counts towards the seconds of the stopping rule.
struct Workload {
    std::function<void()> prepare = nullptr;
    std::function<void()> run;
    Stopwatch* stopwatch = nullptr;
    int batch = 1;
    int products = 1;  ///< or whatever `run` does
};

struct Timing {
    std::vector<double> seconds = {};  ///< per product, in the order they were taken
    int batch = 1;                     ///< products in a sample
    bool converged = false;            ///< whether the noise bound was reached
    std::string error = {};            ///< what `prepare` or `run` threw; empty if all went well

    friend bool operator==(const Timing&, const Timing&) = default;
};

/// The smallest power of two of calls that takes `min_seconds`, so that the stopwatch's own cost does not show.
int calibrate_batch(const Workload& workload, double min_seconds);

/// Samples the workloads in turn (A, B, C, A, B, C, ...), so that a machine whose speed drifts treats all alike and the
/// i-th samples of two of them belong together. One that throws drops out with its error, the others go on.
std::vector<Timing> sample_in_turn(std::span<const Workload> workloads, const StoppingRule& rule);

}  // namespace tilespmv::bench
