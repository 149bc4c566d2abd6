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

using Work = std::function<void()>;

/// How much longer the longer stretch takes, for each of the repeats that it has more.
double slope(Device& device, const Work& shorter, const Work& longer, int more, int stretches) {
    std::vector<double> short_times;
    std::vector<double> long_times;
    for (int i = 0; i < stretches; ++i) {
        short_times.push_back(time_of(device.stopwatch(), shorter));
        long_times.push_back(time_of(device.stopwatch(), longer));
    }
    constexpr double kLeast = 1e-9;
    const double long_time = summarize(long_times).median;
    const double seconds = (long_time - summarize(short_times).median) / more;
    // Where noise is larger than the work: it has at least so many repeats.
    return seconds > 0 ? seconds : std::max(long_time / (2 * more), kLeast);
}

double seconds_of_launched(Device& device, const Work& work, const RepeatRule& rule) {
    const Stretch stretch = calibrate(device, work, rule);
    const int shorter = stretch.repeats;
    // Work that takes long has little noise.
    const bool is_long = stretch.seconds > 10 * rule.seconds;
    const int longer = (is_long ? 2 : 4) * shorter;
    return slope(device, repeated(work, shorter), repeated(work, longer), longer - shorter,
                 is_long ? 3 : rule.stretches);
}

/// Two graphs of a few, each launched as often: recording hundreds takes the host longer than they take the GPU.
double seconds_of_recorded(Device& device, const Work& work, const RepeatRule& rule) {
    constexpr double kMostInGraph = 16;  // of the shorter one
    work();                              // warms up
    const double once = std::max(time_of(device.stopwatch(), work), 1e-9);
    const bool is_long = once > 10 * rule.seconds;
    const int in_shorter = static_cast<int>(std::clamp(rule.seconds / once, 1.0, kMostInGraph));
    const int in_longer = (is_long ? 2 : 4) * in_shorter;
    const Work shorter = device.record(repeated(work, in_shorter));
    const Work longer = device.record(repeated(work, in_longer));
    const int launches = calibrate(device, shorter, rule).repeats;
    return slope(device, repeated(shorter, launches), repeated(longer, launches), launches * (in_longer - in_shorter),
                 is_long ? 3 : rule.stretches);
}

}  // namespace

double seconds_of_repeat(Device& device, const std::function<void()>& work, const RepeatRule& rule) {
    return rule.in_graph ? seconds_of_recorded(device, work, rule) : seconds_of_launched(device, work, rule);
}

}  // namespace tilespmv::bench
