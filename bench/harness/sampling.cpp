#include "bench/harness/sampling.hpp"

#include <exception>

#include "bench/harness/statistics.hpp"

namespace tilespmv::bench {
namespace {

double time_batch(const Workload& workload, int batch) {
    workload.stopwatch->start();
    for (int i = 0; i < batch; ++i) workload.run();
    return workload.stopwatch->stop();
}

// One workload on its way through the rounds.
class Sampler {
public:
    explicit Sampler(const Workload& workload) : workload_(workload) {
        timing_.batch = workload.batch * workload.products;
    }

    void sample() noexcept {
        try {
            workload_.stopwatch->start();
            if (workload_.prepare) workload_.prepare();
            seconds_ += workload_.stopwatch->stop();
            const double seconds = time_batch(workload_, workload_.batch);
            seconds_ += seconds;
            timing_.seconds.push_back(seconds / timing_.batch);
        } catch (const std::exception& error) {
            timing_.error = error.what();
        }
    }

    // Whether this workload needs no more samples for its own sake.
    bool satisfied(const StoppingRule& rule) {
        if (failed()) return true;
        const auto samples = static_cast<int>(timing_.seconds.size());
        timing_.converged = summarize(timing_.seconds).noise() <= rule.noise;
        if (samples >= rule.max_samples || seconds_ >= rule.max_seconds) return true;
        return samples >= rule.min_samples && seconds_ >= rule.min_seconds && timing_.converged;
    }

    [[nodiscard]] bool failed() const { return !timing_.error.empty(); }
    Timing take() { return std::move(timing_); }

private:
    const Workload& workload_;
    Timing timing_;
    double seconds_ = 0;
};

}  // namespace

int calibrate_batch(const Workload& workload, double min_seconds) {
    constexpr int kMaxBatch = 1 << 20;
    int batch = 1;
    while (batch < kMaxBatch && time_batch(workload, batch) < min_seconds) batch *= 2;
    return batch;
}

std::vector<Timing> sample_in_turn(std::span<const Workload> workloads, const StoppingRule& rule) {
    std::vector<Sampler> samplers(workloads.begin(), workloads.end());
    for (bool done = samplers.empty(); !done;) {
        done = true;
        for (Sampler& s : samplers) {
            if (s.failed() || (!rule.together && s.satisfied(rule))) continue;
            s.sample();
            done = s.satisfied(rule) && done;
        }
    }
    std::vector<Timing> timings;
    for (Sampler& s : samplers) timings.push_back(s.take());
    return timings;
}

}  // namespace tilespmv::bench
