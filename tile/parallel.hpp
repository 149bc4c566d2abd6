#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include <omp.h>

#include "tile/task_group.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// Keeps, of all exceptions thrown inside a parallel loop, the one of the lowest index, so that what the user reads
/// does not depend on the number of threads.
class FirstException {
public:
    void capture(std::int64_t index) noexcept {
        const std::lock_guard lock(mutex_);
        if (index >= index_) return;
        index_ = index;
        exception_ = std::current_exception();
    }
    void rethrow() const {
        if (exception_) std::rethrow_exception(exception_);
    }

private:
    std::mutex mutex_;
    std::int64_t index_ = std::numeric_limits<std::int64_t>::max();
    std::exception_ptr exception_;
};

/// Calls `f(i)` for every i in [0, count), as tasks of a group if there are several.
template <class F>
void run_together(std::int64_t count, F&& f) {
    if (count <= 0) return;
    if (count == 1) return f(0);
    std::vector<TaskGroup::Task> tasks;
    tasks.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) tasks.emplace_back([&f, i] { f(i); });
    TaskGroup(std::move(tasks)).wait();
}

/// Rows, or entries, whose work is small, and tile rows that a thread takes at a time.
constexpr std::int64_t kRowGrain = 4096;
constexpr std::int64_t kTileRowGrain = 16;

/// A range of at most `grain` of the indices [begin, end), the i-th one.
struct IndexRanges {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t grain;

    [[nodiscard]] std::int64_t count() const { return end > begin ? div_up(end - begin, grain) : 0; }
    template <class F>
    void call(std::int64_t i, F&& f) const {
        const std::int64_t first = begin + i * grain;
        f(first, std::min(first + grain, end));
    }
};

/// Calls `f(first, last)` for consecutive ranges of at most `grain` indices that cover [begin, end), in parallel.
/// Rethrows the exception of the first range that threw.
template <class F>
void parallel_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    const IndexRanges all{begin, end, grain};
    const std::int64_t ranges = all.count();
    FirstException failure;
#pragma omp parallel for schedule(dynamic, 1) if (ranges > 1)
    for (std::int64_t i = 0; i < ranges; ++i) {
        try {
            all.call(i, f);
        } catch (...) {
            failure.capture(i);
        }
    }
    if (ranges > 1 && omp_get_max_threads() > 1) openmp_has_run();
    failure.rethrow();
}

/// The same for loops of preparations, of milliseconds between other work: threads of a `TaskGroup` take one range
/// after the other, of which some are done before all threads of OpenMP would have been woken; unless these are awake.
/// `f` must not ask OpenMP for its thread.
template <class F>
void task_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    const IndexRanges all{begin, end, grain};
    const std::int64_t ranges = all.count();
    if (ranges <= 1 || openmp_may_spin()) return parallel_ranges(begin, end, grain, f);
    std::atomic<std::int64_t> next = 0;
    FirstException failure;
    const auto take = [&] {
        for (std::int64_t i = next++; i < ranges; i = next++) {
            try {
                all.call(i, f);
            } catch (...) {
                failure.capture(i);
            }
        }
    };
    const auto threads = std::min(static_cast<std::size_t>(ranges), TaskGroup::kMostThreads);
    TaskGroup(std::vector<TaskGroup::Task>(threads, take), threads - 1).wait();
    failure.rethrow();
}

/// The same for loops that end within microseconds: up to 32 ranges are put together to as many as a `TaskGroup` has
/// few threads, since to wake more takes longer.
template <class F>
void short_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    constexpr std::int64_t kMost = 32;
    constexpr auto kThreads = static_cast<std::int64_t>(TaskGroup::kFewThreads);
    const std::int64_t ranges = IndexRanges{begin, end, grain}.count();
    if (ranges > kMost || openmp_may_spin()) return task_ranges(begin, end, grain, f);
    const IndexRanges all{begin, end, grain * div_up(std::max(ranges, kThreads), kThreads)};
    run_together(all.count(), [&](std::int64_t i) { all.call(i, f); });
}

/// Calls `f(i)` for every i in [begin, end) in parallel, `grain` of them at a time.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    parallel_ranges(begin, end, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(i);
    });
}

/// The same for loops of preparations; see `task_ranges`.
template <class F>
void task_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    task_ranges(begin, end, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(i);
    });
}

/// The same for loops that end within microseconds; see `short_ranges`.
template <class F>
void short_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    short_ranges(begin, end, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(i);
    });
}

}  // namespace tilespmv
