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

double seconds_of_repeat(Device& device, const std::function<void()>& work, const RepeatRule& rule) {
    constexpr double kLeast = 1e-9;
    const Stretch stretch = calibrate(device, work, rule);
    const int shorter = stretch.repeats;
    // Work that takes long has little noise.
    const bool is_long = stretch.seconds > 10 * rule.seconds;
    const int longer = (is_long ? 2 : 4) * shorter;
    auto short_stretch = repeated(work, shorter);
    auto long_stretch = repeated(work, longer);
    if (rule.in_graph) {
        short_stretch = device.record(short_stretch);
        long_stretch = device.record(long_stretch);
    }
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

}  // namespace tilespmv::bench
