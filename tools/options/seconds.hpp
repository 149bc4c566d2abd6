#pragma once

#include "bench/harness/timer.hpp"

namespace tilespmv::tools {

/// How long `work()` takes.
template <class Work>
double seconds(Work&& work) {
    bench::SteadyStopwatch watch;
    watch.start();
    work();
    return watch.stop();
}

}  // namespace tilespmv::tools
