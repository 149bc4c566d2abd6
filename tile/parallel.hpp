#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>

#include <omp.h>

#include "tile/types.hpp"

namespace tilespmv {

/// Keeps, of all exceptions thrown inside a parallel loop, the one of the lowest index, so that what the user reads
/// does not depend on the number of threads.
class FirstException {
public:
    void capture(std::int64_t index) noexcept {
#pragma omp critical(tilespmv_first_exception)
        if (index < index_) {
            index_ = index;
            exception_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    std::int64_t index_ = std::numeric_limits<std::int64_t>::max();
    std::exception_ptr exception_;
};

/// Rows, or entries, whose work is small, and tile rows that a thread takes at a time.
constexpr std::int64_t kRowGrain = 4096;
constexpr std::int64_t kTileRowGrain = 16;

/// Calls `f(first, last)` for consecutive ranges of at most `grain` indices that cover [begin, end), in parallel.
/// Rethrows the exception of the first range that threw.
template <class F>
void parallel_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    const std::int64_t ranges = end > begin ? div_up(end - begin, grain) : 0;
    FirstException failure;
#pragma omp parallel for schedule(dynamic, 1) if (ranges > 1)
    for (std::int64_t i = 0; i < ranges; ++i) {
        try {
            const std::int64_t first = begin + i * grain;
            f(first, std::min(first + grain, end));
        } catch (...) {
            failure.capture(i);
        }
    }
    failure.rethrow();
}

/// Calls `f(i)` for every i in [begin, end) in parallel, `grain` of them at a time.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    parallel_ranges(begin, end, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(i);
    });
}

}  // namespace tilespmv
