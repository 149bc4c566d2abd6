#include "bench/harness/timer.hpp"

namespace tilespmv::bench {

void SteadyStopwatch::start() { start_ = std::chrono::steady_clock::now(); }

double SteadyStopwatch::stop() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace tilespmv::bench
