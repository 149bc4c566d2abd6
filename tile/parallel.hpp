#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tile/types.hpp"

namespace tilespmv {

/// Rows, or entries, whose work is small, and tile rows that a thread takes at a time.
constexpr std::int64_t kRowGrain = 4096;
constexpr std::int64_t kTileRowGrain = 16;

/// Calls `f(i)` for every i in [0, count), on the caller's thread and on others of the process that sleep until there
/// is such work: as many as there are calls, at most `omp_get_max_threads()` in all. The caller returns when every call
/// that was begun has ended, and does not wait for a thread that has not begun one. Rethrows the exception of the
/// lowest i that threw. Loops within a call, of OpenMP too, have one thread, and so has one within a loop of OpenMP.
void run_parallel(std::int64_t count, const std::function<void(std::int64_t)>& f);

/// Calls `f(first, last)` for consecutive ranges of at most `grain` indices that cover [begin, end), in parallel; see
/// `run_parallel`.
template <class F>
void parallel_ranges(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    const auto range = [&](std::int64_t i) {
        const std::int64_t first = begin + i * grain;
        f(first, std::min(first + grain, end));
    };
    run_parallel(end > begin ? div_up(end - begin, grain) : 0, std::cref(range));
}

/// Calls `f(i)` for every i in [begin, end) in parallel, `grain` of them at a time.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, F&& f) {
    parallel_ranges(begin, end, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) f(i);
    });
}

/// Memory that the calls of a loop use one after the other.
template <class T>
class Scratch {
public:
    /// Calls `f` with a value that no other thread has at that time.
    template <class F>
    void use(F&& f) {
        std::unique_ptr<T> one = take();
        f(*one);
        const std::lock_guard lock(mutex_);
        unused_.push_back(std::move(one));
    }

private:
    std::unique_ptr<T> take() {
        const std::lock_guard lock(mutex_);
        if (unused_.empty()) return std::make_unique<T>();
        std::unique_ptr<T> one = std::move(unused_.back());
        unused_.pop_back();
        return one;
    }

    std::mutex mutex_;
    std::vector<std::unique_ptr<T>> unused_;
};

}  // namespace tilespmv
