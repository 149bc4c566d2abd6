#pragma once

#include <functional>

#include "bench/harness/device.hpp"

namespace tilespmv::bench {

/// How long a repeat is measured.
struct RepeatRule {
    /// That a stretch of repeats takes, or more; a longer one has four times as many. Of work that takes ten times as
    /// long by itself, the longer stretch has two, and three of each are timed.
    double seconds = 1.5e-4;
    int stretches = 5;      ///< of each length, in turn
    int most_repeats = 64;  ///< of the shorter stretch
    bool in_graph = false;  ///< repeats are in CUDA graphs, as in a solver, not launched one by one
};

/// Seconds of one `work` among others like it: (T_a - T_b) / (a - b), T_a and T_b the medians of stretches of a and b
/// repeats, so that what a stretch costs by itself does not count (Wang, thesis, 2017, chapter 3). Positive.
double seconds_of_repeat(Device& device, const std::function<void()>& work, const RepeatRule& rule);

}  // namespace tilespmv::bench
