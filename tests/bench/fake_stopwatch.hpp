#pragma once

#include "bench/harness/timer.hpp"

namespace tilespmv::bench {

/// A stopwatch whose time passes only when a test says so.
class FakeStopwatch final : public Stopwatch {
public:
    void start() override { start_ = now_; }
    double stop() override { return now_ - start_; }
    void pass(double seconds) { now_ += seconds; }

private:
    double now_ = 0;
    double start_ = 0;
};

}  // namespace tilespmv::bench
