#include "tile/task_group.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include <omp.h>

namespace tilespmv {
namespace {

enum class State { waits, runs, ended };

/// For some 50 us: to be woken takes a fifth of that, and the next tasks of a choice come as soon.
template <class F>
void yield_until(F&& is_reached) {
    constexpr int kYields = 128;
    for (int i = 0; i < kYields && !is_reached(); ++i) std::this_thread::yield();
}

}  // namespace

struct TaskGroup::Entry {
    Task task;
    std::atomic<State> state = State::waits;
    std::exception_ptr failure;

    /// Whether the caller is the one to run it.
    bool claim() {
        State waits = State::waits;
        return state.compare_exchange_strong(waits, State::runs);
    }
    void run() {
        const int threads = omp_get_max_threads();
        omp_set_num_threads(1);
        try {
            task();
        } catch (...) {
            failure = std::current_exception();
        }
        omp_set_num_threads(threads);
        state = State::ended;
        state.notify_all();
    }
    /// Another thread runs it.
    void wait_for_end() {
        yield_until([this] { return state != State::runs; });
        state.wait(State::runs);
    }
};

/// The threads of a process that wait for tasks, started when the first ones come. There until the process ends.
class TaskHelpers {
public:
    static TaskHelpers& of_process() {
        static auto& helpers = *new TaskHelpers;  // never destroyed: its threads wait in it
        return helpers;
    }

    /// Threads that come too late find them begun.
    void offer(const std::shared_ptr<TaskGroup::Entry>& entries, std::size_t size) {
        if (helpers_ == 0) return;
        {
            const std::lock_guard lock(mutex_);
            for (std::size_t i = 0; i < size; ++i) offered_.emplace_back(entries, entries.get() + i);
            has_some_now_ = true;
        }
        for (std::size_t i = 0; i < std::min(size, helpers_); ++i) has_some_.notify_one();
    }

private:
    TaskHelpers() {
        for (std::size_t i = 0; i < helpers_; ++i) std::thread([this] { help(); }).detach();
    }

    [[noreturn]] void help() {
        for (;;) {
            const auto entry = next();
            if (entry->claim()) entry->run();
        }
    }
    std::shared_ptr<TaskGroup::Entry> next() {
        yield_until([this] { return has_some_now_.load(); });
        std::unique_lock lock(mutex_);
        has_some_.wait(lock, [this] { return !offered_.empty(); });
        auto entry = std::move(offered_.front());
        offered_.pop_front();
        has_some_now_ = !offered_.empty();
        return entry;
    }

    const std::size_t helpers_ = std::clamp(std::thread::hardware_concurrency(), 1U, 4U) - 1;
    std::mutex mutex_;
    std::condition_variable has_some_;
    std::deque<std::shared_ptr<TaskGroup::Entry>> offered_;
    std::atomic<bool> has_some_now_ = false;
};

TaskGroup::TaskGroup(std::vector<Task> tasks) : entries_(new Entry[tasks.size()], std::default_delete<Entry[]>()) {
    size_ = tasks.size();
    for (std::size_t i = 0; i < size_; ++i) entries_.get()[i].task = std::move(tasks[i]);
    if (omp_get_max_threads() > 1) TaskHelpers::of_process().offer(entries_, size_);
}

TaskGroup::~TaskGroup() {
    for (std::size_t i = 0; i < size_; ++i) {
        Entry& entry = entries_.get()[i];
        if (!entry.claim()) entry.wait_for_end();
    }
}

void TaskGroup::wait() {
    const std::span entries(entries_.get(), size_);
    for (Entry& entry : entries) {
        if (entry.claim()) entry.run();
    }
    for (Entry& entry : entries) entry.wait_for_end();
    for (Entry& entry : entries) {
        if (entry.failure) std::rethrow_exception(std::exchange(entry.failure, nullptr));
    }
}

}  // namespace tilespmv
