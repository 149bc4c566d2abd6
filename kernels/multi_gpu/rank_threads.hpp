#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "kernels/multi_gpu/communicator.hpp"

namespace tilespmv::multi_gpu {

/// Where the ranks of one process, a thread each, wait for each other, until one of them fails.
class Meeting {
public:
    /// What a rank that waits ends with when another one has failed; `run_ranks` reports that one.
    struct Abandoned {};

    explicit Meeting(int ranks) : ranks_(ranks) {}
    /// Returns when all ranks have called it as often. Throws `Abandoned` if one never will.
    void wait();
    /// Sends all home that wait, now or later.
    void abandon() noexcept;
    [[nodiscard]] int ranks() const { return ranks_; }

private:
    int ranks_;
    int arrived_ = 0;
    long round_ = 0;
    bool is_abandoned_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
};

/// Ranks of one process that read each other's memory, in that of the host. Deterministic.
class ThreadGroup {
public:
    explicit ThreadGroup(int ranks);
    [[nodiscard]] Meeting& meeting() { return meeting_; }
    /// Of one rank, for its thread; lives as long as the group.
    [[nodiscard]] Communicator& communicator(int rank);

private:
    class Member;
    friend class Member;

    /// What a rank shows the others between two meetings.
    struct Shown {
        const HaloPlan* plan = nullptr;
        const void* values = nullptr;
    };

    Meeting meeting_;
    std::vector<Shown> shown_;
    std::vector<std::unique_ptr<Communicator>> members_;
};

/// Calls `f(rank)` for each rank in a thread of its own, with an equal share of OpenMP's threads, and waits for all.
/// One rank is run by the caller's thread. When a rank throws, the others are sent home from the meeting, after
/// `on_failure()` if there is one. The exception that is rethrown is that of the lowest rank that failed by itself, or
/// with `on_failure`, which may make others fail, of the first that did.
void run_ranks(Meeting& meeting, const std::function<void(int rank)>& f, const std::function<void()>& on_failure = {});

}  // namespace tilespmv::multi_gpu
