#include "bench/harness/repeats.hpp"

#include <algorithm>
#include <vector>

#include "bench/harness/statistics.hpp"

namespace tilespmv::bench {
namespace {

double time_of(Stopwatch& watch, const std::function<void()>& work) {
    watch.start();
    work();
    return watch.stop();
}

std::function<void()> repeated(const std::function<void()>& work, int repeats) {
    return [work, repeats] {
        for (int i = 0; i < repeats; ++i) work();
    };
}

struct Stretch {
    int repeats = 1;
    double seconds = 0;  ///< of all of them
};

/// One that takes the seconds of the rule.
Stretch calibrate(Device& device, const std::function<void()>& work, const RepeatRule& rule) {
    work();  // warms up
    Stretch stretch{1, time_of(device.stopwatch(), work)};
    while (stretch.repeats < rule.most_repeats && stretch.seconds < rule.seconds) {
        stretch.repeats *= 2;
        stretch.seconds = time_of(device.stopwatch(), repeated(work, stretch.repeats));
    }
    return stretch;
}

}  // namespace

namespace {

/// Of one of `work`, each launched by the host.
double seconds_of_launched(Device& device, const std::function<void()>& work, const RepeatRule& rule) {
    constexpr double kLeast = 1e-9;
    const Stretch stretch = calibrate(device, work, rule);
    const int shorter = stretch.repeats;
    // Work that takes long has little noise.
    const bool is_long = stretch.seconds > 10 * rule.seconds;
    const int longer = (is_long ? 2 : 4) * shorter;
    const auto short_stretch = repeated(work, shorter);
    const auto long_stretch = repeated(work, longer);
    std::vector<double> short_times;
    std::vector<double> long_times;
    for (int i = 0; i < (is_long ? 3 : rule.stretches); ++i) {
        short_times.push_back(time_of(device.stopwatch(), short_stretch));
        long_times.push_back(time_of(device.stopwatch(), long_stretch));
    }
    const double long_time = summarize(long_times).median;
    const double seconds = (long_time - summarize(short_times).median) / (longer - shorter);
    // Where noise is larger than the work.
    return seconds > 0 ? seconds : std::max(long_time / longer, kLeast);
}

}  // namespace

double seconds_of_repeat(Device& device, const std::function<void()>& work, const RepeatRule& rule) {
    if (!rule.in_graph) return seconds_of_launched(device, work, rule);
    // One graph of a few, launched again and again: recording hundreds takes the host longer than they take the GPU.
    constexpr int kMostInGraph = 32;
    work();  // warms up
    const double once = std::max(time_of(device.stopwatch(), work), 1e-9);
    const int in_graph = static_cast<int>(std::clamp(rule.seconds / once, 1.0, double{kMostInGraph}));
    return seconds_of_launched(device, device.record(repeated(work, in_graph)), rule) / in_graph;
}

}  // namespace tilespmv::bench
