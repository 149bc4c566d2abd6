#include "tile/parallel.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/threads.hpp"

namespace tilespmv {
namespace {

using test::Threads;

/// Opened once, by whichever thread.
class Gate {
public:
    void open() {
        const std::lock_guard lock(mutex_);
        is_open_ = true;
        changed_.notify_all();
    }
    void wait(std::chrono::milliseconds most = std::chrono::seconds(20)) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, most, [this] { return is_open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_open_ = false;
};

using ThreadIds = std::set<std::thread::id>;

/// The threads that made `calls` calls, each of which waits a while until `together` of them have come.
ThreadIds threads_of(std::int64_t calls, std::size_t together) {
    std::mutex mutex;
    ThreadIds threads;
    Gate all;
    parallel_for(0, calls, 1, [&](std::int64_t) {
        {
            const std::lock_guard lock(mutex);
            threads.insert(std::this_thread::get_id());
            if (threads.size() >= together) all.open();
        }
        all.wait(std::chrono::milliseconds(20));
    });
    return threads;
}

/// The most threads that such a loop had; others of the process may be busy with the loop before.
std::size_t most_threads_of(std::int64_t calls, std::size_t expected) {
    std::size_t most = 0;
    for (int round = 0; round < 100 && most < expected; ++round)
        most = std::max(most, threads_of(calls, expected).size());
    return most;
}

const ThreadIds kCaller{std::this_thread::get_id()};

class ParallelRanges : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(ParallelRanges, CoverAllIndicesOnce) {
    for (const int threads : {1, 2, 7}) {
        const Threads of_loop(threads);
        for (int round = 0; round < 50; ++round) {
            std::vector<std::atomic<int>> calls(static_cast<std::size_t>(GetParam()));
            parallel_ranges(0, GetParam(), 3, [&](std::int64_t first, std::int64_t end) {
                EXPECT_EQ(first % 3, 0);
                EXPECT_EQ(end, std::min(first + 3, GetParam()));
                for (std::int64_t i = first; i < end; ++i) ++calls[static_cast<std::size_t>(i)];
            });
            for (const auto& one : calls) ASSERT_EQ(one, 1);
        }
    }
}

TEST_P(ParallelRanges, RethrowTheExceptionOfTheFirstThatThrew) {
    for (const int threads : {1, 4}) {
        const Threads of_loop(threads);
        std::string first;
        try {
            parallel_ranges(0, GetParam(), 3, [](std::int64_t begin, std::int64_t end) {
                if (end > 7) throw std::runtime_error(std::to_string(begin));
            });
        } catch (const std::runtime_error& error) {
            first = error.what();
        }
        EXPECT_EQ(first, GetParam() > 7 ? "6" : "");
        EXPECT_EQ(omp_get_max_threads(), threads);
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ParallelRanges, ::testing::Values(0, 1, 3, 4, 15, 16, 17, 50, 95, 96, 97, 1000));

TEST(ParallelFor, HasAsManyThreadsAsOpenMpButNoMoreThanCalls) {
    const Threads of_loop(5);
    EXPECT_EQ(most_threads_of(20, 5), 5U);
    EXPECT_LE(threads_of(20, 6).size(), 5U);
    EXPECT_EQ(most_threads_of(3, 3), 3U);
}

TEST(ParallelFor, WithOneThreadIsDoneByTheCallerInOrder) {
    const Threads of_loop(1);
    std::vector<std::int64_t> order;
    parallel_for(5, 9, 2, [&](std::int64_t i) { order.push_back(i); });
    EXPECT_EQ(order, (std::vector<std::int64_t>{5, 6, 7, 8}));
    EXPECT_EQ(threads_of(10, 1), kCaller);
}

TEST(ParallelFor, LoopsWithinOneHaveOneThread) {
    const Threads of_loop(4);
    for (int round = 0; round < 100; ++round) {
        parallel_for(0, 8, 1, [](std::int64_t) {
            EXPECT_EQ(omp_get_max_threads(), 1);
            EXPECT_EQ(threads_of(4, 1), ThreadIds{std::this_thread::get_id()});
        });
        ASSERT_EQ(omp_get_max_threads(), 4);
    }
#pragma omp parallel for
    for (int i = 0; i < 8; ++i) EXPECT_EQ(threads_of(4, 1), ThreadIds{std::this_thread::get_id()});
}

TEST(ParallelFor, DoesNotWaitForThreadsThatAreBusy) {
    const Threads of_loop(4);
    Gate end;
    std::thread other([&] {
        parallel_for(0, 100, 1, [&](std::int64_t) { end.wait(); });  // keeps all helpers that it can get
    });
    std::atomic<int> calls = 0;
    for (int round = 0; round < 100; ++round) parallel_for(0, 10, 1, [&](std::int64_t) { ++calls; });
    EXPECT_EQ(calls, 1000);
    end.open();
    other.join();
}

TEST(ParallelFor, RunsInSeveralThreadsOfTheCallerAtOnce) {
    std::array<std::atomic<int>, 4> calls{};
    std::vector<std::thread> callers;
    for (auto& one : calls) {
        callers.emplace_back([&one] {
            const Threads of_loop(3);
            for (int round = 0; round < 200; ++round) parallel_for(0, 10, 1, [&](std::int64_t) { ++one; });
        });
    }
    for (auto& caller : callers) caller.join();
    for (const auto& one : calls) EXPECT_EQ(one, 2000);
}

TEST(Scratch, IsUsedByOneThreadAtATime) {
    struct Value {
        bool is_used = false;
        bool is_new = true;
    };
    const Threads of_loop(4);
    Scratch<Value> scratch;
    std::atomic<int> values = 0;
    parallel_for(0, 1000, 1, [&](std::int64_t) {
        scratch.use([&](Value& one) {
            EXPECT_FALSE(std::exchange(one.is_used, true));
            if (std::exchange(one.is_new, false)) ++values;
            one.is_used = false;
        });
    });
    EXPECT_LE(values, 4);
}

}  // namespace
}  // namespace tilespmv
