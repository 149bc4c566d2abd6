#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace tilespmv {

class SharedLoop;

/// Tasks that another thread, of those of `run_parallel`, begins while the caller does something else.
class TaskGroup {
public:
    using Task = std::function<void()>;

    /// The tasks may begin at once, in their order. What they refer to must outlive the group; they must not wait for
    /// each other.
    explicit TaskGroup(std::vector<Task> tasks);
    TaskGroup(const TaskGroup&) = delete;
    TaskGroup& operator=(const TaskGroup&) = delete;
    /// Waits for those that were begun; nobody runs the others any more.
    ~TaskGroup();

    /// Runs those that nobody has begun, and returns when all have ended. Rethrows the exception of the first one in
    /// the order of tasks that threw. To call it again has no effect.
    void wait();

private:
    std::unique_ptr<SharedLoop> loop_;
};

}  // namespace tilespmv
