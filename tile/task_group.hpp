#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace tilespmv {

/// To be called when a loop of OpenMP has ended: its threads spin on all processors for milliseconds then, and a thread
/// that is woken meanwhile waits for one of these as long.
void openmp_has_run() noexcept;
/// Whether they may still spin.
bool openmp_may_spin() noexcept;

/// Tasks that threads which wait for such run beside the caller: up to four, 15 if that is asked for, and all in all no
/// more than OpenMP has (`omp_get_max_threads`). A parallel region of OpenMP ends when all of its threads have come,
/// milliseconds later where another process has their processors; here the caller runs what nobody has begun, and all
/// while threads of OpenMP may spin. Loops of OpenMP within a task have one thread.
class TaskGroup {
public:
    using Task = std::function<void()>;
    // The caller's among them.
    static constexpr std::size_t kFewThreads = 5;    ///< for microseconds, in which no more are woken
    static constexpr std::size_t kMostThreads = 16;  ///< for milliseconds

    /// The tasks may begin at once, in their order, by at most so many threads beside the caller. What they refer to
    /// must outlive the group; they must not wait for each other.
    explicit TaskGroup(std::vector<Task> tasks, std::size_t others = kFewThreads - 1);
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;
    /// Waits for those that were begun; nobody runs the others any more.
    ~TaskGroup();

    /// Runs those that nobody has begun, and returns when all have ended. Rethrows the exception of the first one in
    /// the order of tasks that threw. To call it again has no effect.
    void wait();

private:
    class Progress;
    friend class TaskHelpers;

    std::shared_ptr<Progress> progress_;
};

}  // namespace tilespmv
