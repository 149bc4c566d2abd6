#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace tilespmv {

/// Tasks of microseconds that up to three threads, which wait for such, run beside the caller. A parallel region of
/// OpenMP ends when all of its threads have come, milliseconds later where another process has their processors; here
/// the caller runs what nobody has begun. With one thread of OpenMP (`omp_get_max_threads`) the caller runs all. Loops
/// of OpenMP within a task have one thread.
class TaskGroup {
public:
    using Task = std::function<void()>;

    /// The tasks may begin at once. What they refer to must outlive the group; they must not wait for each other.
    explicit TaskGroup(std::vector<Task> tasks);
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;
    /// Waits for those that were begun; nobody runs the others any more.
    ~TaskGroup();

    /// Runs in their order those that nobody has begun, and returns when all have ended. Rethrows the exception of the
    /// first one in the order of tasks that threw. To call it again has no effect.
    void wait();

private:
    struct Entry;
    friend class TaskHelpers;

    std::shared_ptr<Entry> entries_;  // an array
    std::size_t size_ = 0;
};

}  // namespace tilespmv
