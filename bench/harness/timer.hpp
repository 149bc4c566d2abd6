#pragma once

#include <chrono>

namespace tilespmv::bench {

/// Measures one stretch of work on one device. Events on a GPU stream are another implementation than the clock here.
class Stopwatch {
public:
    virtual ~Stopwatch() = default;
    virtual void start() = 0;
    /// Seconds since `start`, with all work that was begun in between finished.
    virtual double stop() = 0;
};

/// The monotonic clock of the host, for work that is finished when its call returns.
class SteadyStopwatch final : public Stopwatch {
public:
    void start() override { start_ = std::chrono::steady_clock::now(); }
    double stop() override { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

private:
    std::chrono::steady_clock::time_point start_;
};

}  // namespace tilespmv::bench
