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

/// Repeats that take the seconds of the rule.
int calibrate(Device& device, const std::function<void()>& work, const RepeatRule& rule) {
    work();  // warms up
    int repeats = 1;
    while (repeats < rule.most_repeats && time_of(device.stopwatch(), repeated(work, repeats)) < rule.seconds)
        repeats *= 2;
    return repeats;
}

}  // namespace

double seconds_of_repeat(Device& device, const std::function<void()>& work, const RepeatRule& rule) {
    constexpr int kLonger = 4;
    constexpr double kLeast = 1e-9;
    const int shorter = calibrate(device, work, rule);
    auto short_stretch = repeated(work, shorter);
    auto long_stretch = repeated(work, kLonger * shorter);
    if (rule.in_graph) {
        short_stretch = device.record(short_stretch);
        long_stretch = device.record(long_stretch);
    }
    std::vector<double> short_times;
    std::vector<double> long_times;
    for (int i = 0; i < rule.stretches; ++i) {
        short_times.push_back(time_of(device.stopwatch(), short_stretch));
        long_times.push_back(time_of(device.stopwatch(), long_stretch));
    }
    const double long_time = summarize(long_times).median;
    const double seconds = (long_time - summarize(short_times).median) / ((kLonger - 1) * shorter);
    // Where noise is larger than the work.
    return seconds > 0 ? seconds : std::max(long_time / (kLonger * shorter), kLeast);
}

}  // namespace tilespmv::bench
