#include "tile/task_group.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <omp.h>

namespace tilespmv {
namespace {

/// Of a loop that waits: the other thread of the core goes first.
void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

using Clock = std::chrono::steady_clock;

/// For so long at most, and without yielding: who gives up his processor to a thread that spins has it back
/// milliseconds later.
template <class F>
void spin_until(F&& is_reached, Clock::duration most) {
    for (const auto begin = Clock::now(); !is_reached() && Clock::now() - begin < most;) relax();
}

constexpr std::chrono::microseconds kNextTasks(50);  ///< that come soon: to be woken takes 11
constexpr std::chrono::milliseconds kOtherTasks(1);  ///< that others have begun, and end sooner unless they are stopped

/// As long as threads of GNU's OpenMP spin: 300,000 pauses, of up to 140 cycles.
constexpr std::chrono::milliseconds kOpenmpSpins(20);
std::atomic<Clock::rep> openmp_ended = std::numeric_limits<Clock::rep>::min();  // ticks of the clock

}  // namespace

void openmp_has_run() noexcept { openmp_ended = Clock::now().time_since_epoch().count(); }

bool openmp_may_spin() noexcept {
    const Clock::duration spins = kOpenmpSpins;
    return openmp_ended > Clock::now().time_since_epoch().count() - spins.count();
}

class TaskGroup::Progress {
public:
    explicit Progress(std::vector<Task> tasks) : tasks_(std::move(tasks)), failures_(tasks_.size()) {}

    [[nodiscard]] std::size_t size() const { return tasks_.size(); }
    /// One task after the other, as long as there are some that nobody has begun.
    void run() {
        const int threads = omp_get_max_threads();
        omp_set_num_threads(1);
        for (std::size_t i = begun_++; i < size(); i = begun_++) {
            try {
                tasks_[i]();
            } catch (...) {
                failures_[i] = std::current_exception();
            }
            ++ended_;
            ended_.notify_all();
        }
        omp_set_num_threads(threads);
    }
    void wait_for(std::size_t tasks) {
        spin_until([&] { return ended_ >= tasks; }, kOtherTasks);
        for (std::size_t ended = ended_; ended < tasks; ended = ended_) ended_.wait(ended);
    }
    /// How many were begun; no others will be.
    std::size_t stop() { return std::min(begun_.exchange(size()), size()); }
    void rethrow() {
        for (auto& failure : failures_) {
            if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
        }
    }

private:
    std::vector<Task> tasks_;
    std::vector<std::exception_ptr> failures_;
    std::atomic<std::size_t> begun_ = 0;
    std::atomic<std::size_t> ended_ = 0;
};

/// The threads of a process that wait for tasks, started when the first ones come. There until the process ends. The
/// first four are called for all tasks, so that it is always the same ones, whose processors are awake; the others
/// where many are wanted.
class TaskHelpers {
public:
    using Group = std::shared_ptr<TaskGroup::Progress>;

    static TaskHelpers& of_process() {
        static auto& helpers = *new TaskHelpers;  // never destroyed: its threads wait in it
        return helpers;
    }

    /// Those who come too late find nothing left to begin.
    void call(std::size_t wanted, const Group& group) {
        const std::size_t called = std::min(wanted, helpers_);
        if (called == 0) return;
        {
            const std::lock_guard lock(mutex_);
            calls_.push_back({group, called});
            is_called_ = true;
        }
        wake(first_, std::min(called, kFirst));
        if (called > kFirst) wake(further_, std::min(called - kFirst, kWokenByOne));
    }

private:
    static constexpr std::size_t kFirst = TaskGroup::kFewThreads - 1;
    static constexpr std::size_t kWokenByOne =
        2;  ///< of the others, which takes microseconds; these wake the next ones

    struct Call {
        Group group;
        std::size_t wanted = 0;  ///< helpers
    };

    TaskHelpers() {
        const std::size_t processors = std::max(std::thread::hardware_concurrency(), 1U);
        try {
            while (helpers_ + 1 < std::min(processors, TaskGroup::kMostThreads)) {
                std::condition_variable& own = helpers_ < kFirst ? first_ : further_;
                std::thread([this, &own] {
                    for (;;) next(own)->run();
                }).detach();
                ++helpers_;
            }
        } catch (const std::system_error&) {  // the system gives no more threads
        }
    }

    static void wake(std::condition_variable& which, std::size_t helpers) {
        for (std::size_t i = 0; i < helpers; ++i) which.notify_one();
    }

    Group next(std::condition_variable& own) {
        spin_until([this] { return is_called_.load(); }, kNextTasks);
        std::unique_lock lock(mutex_);
        own.wait(lock, [this] { return !calls_.empty(); });
        Call& call = calls_.front();
        const std::size_t others = --call.wanted;
        Group group = others > 0 ? call.group : std::move(call.group);
        if (others == 0) calls_.pop_front();
        is_called_ = !calls_.empty();
        lock.unlock();
        if (&own == &further_) wake(further_, std::min(others, kWokenByOne));
        return group;
    }

    std::size_t helpers_ = 0;
    std::mutex mutex_;
    std::condition_variable first_;
    std::condition_variable further_;
    std::deque<Call> calls_;
    std::atomic<bool> is_called_ = false;
};

TaskGroup::TaskGroup(std::vector<Task> tasks, std::size_t others)
    : progress_(std::make_shared<Progress>(std::move(tasks))) {
    const auto of_openmp = static_cast<std::size_t>(std::max(omp_get_max_threads(), 1));
    const std::size_t wanted = std::min({others, of_openmp - 1, progress_->size()});
    if (wanted > 0 && !openmp_may_spin()) TaskHelpers::of_process().call(wanted, progress_);
}

TaskGroup::~TaskGroup() { progress_->wait_for(progress_->stop()); }

void TaskGroup::wait() {
    progress_->run();
    progress_->wait_for(progress_->size());
    progress_->rethrow();
}

}  // namespace tilespmv
