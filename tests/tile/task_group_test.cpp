#include "tile/task_group.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <omp.h>

#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

using Tasks = std::vector<TaskGroup::Task>;

/// Of OpenMP, as long as it lives.
class Threads {
public:
    explicit Threads(int count) { omp_set_num_threads(count); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;
    ~Threads() { omp_set_num_threads(before_); }

private:
    int before_ = omp_get_max_threads();
};

/// Opened once, by whichever thread.
class Gate {
public:
    void open() {
        const std::lock_guard lock(mutex_);
        is_open_ = true;
        changed_.notify_all();
    }
    /// False if that did not happen within seconds.
    bool wait() {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(20), [this] { return is_open_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_open_ = false;
};

TEST(TaskGroup, RunsEachTaskOnce) {
    for (const int threads : {1, 4}) {
        const Threads of_openmp(threads);
        for (int round = 0; round < 1000; ++round) {
            std::array<std::atomic<int>, 7> runs{};
            Tasks tasks;
            for (auto& one : runs) tasks.emplace_back([&one] { ++one; });
            TaskGroup group(std::move(tasks));
            group.wait();
            for (const auto& one : runs) ASSERT_EQ(one, 1);
        }
    }
}

TEST(TaskGroup, OfNoTasksHasNothingToWaitFor) { TaskGroup({}).wait(); }

TEST(TaskGroup, BeginsBesideTheCaller) {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one processor";
    const Threads of_openmp(2);
    Gate begun;
    TaskGroup group({[&] { begun.open(); }});
    EXPECT_TRUE(begun.wait());
    group.wait();
}

TEST(TaskGroup, TheCallerRunsAllWhileThreadsOfOpenMpMaySpin) {
    const Threads of_openmp(4);
    EXPECT_FALSE(openmp_may_spin());
    parallel_for(0, 2, 1, [](std::int64_t) {});
    EXPECT_TRUE(openmp_may_spin());
    std::atomic<int> runs = 0;
    TaskGroup group({[&] { ++runs; }});
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(runs, 0);
    group.wait();
    EXPECT_EQ(runs, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
    EXPECT_FALSE(openmp_may_spin());
}

TEST(TaskGroup, TheCallerRunsAllWhereOpenMpHasOneThread) {
    const Threads of_openmp(1);
    std::string order;
    std::array<std::thread::id, 2> by;
    TaskGroup group({[&] {
                         by[0] = std::this_thread::get_id();
                         order += 'a';
                     },
                     [&] {
                         by[1] = std::this_thread::get_id();
                         order += 'b';
                     }});
    group.wait();
    EXPECT_EQ(order, "ab");
    EXPECT_EQ(by[0], std::this_thread::get_id());
    EXPECT_EQ(by[1], std::this_thread::get_id());
}

TEST(TaskGroup, TheCallerDoesNotWaitForThreadsThatAreBusy) {
    const Threads of_openmp(static_cast<int>(TaskGroup::kMostThreads));
    Gate end;
    TaskGroup blocking(Tasks(TaskGroup::kMostThreads, [&] { end.wait(); }));  // all the helpers there are
    int runs = 0;
    TaskGroup group({[&] { ++runs; }});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    group.wait();
    EXPECT_EQ(runs, 1);
    end.open();
    blocking.wait();
}

TEST(TaskGroup, RethrowsTheExceptionOfTheFirstThatThrew) {
    for (const int threads : {1, 4}) {
        const Threads of_openmp(threads);
        int last = 0;
        TaskGroup group({[] {}, [] { throw std::runtime_error("second"); }, [] { throw std::runtime_error("third"); },
                         [&] { ++last; }});
        try {
            group.wait();
            FAIL();
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "second");
        }
        EXPECT_EQ(last, 1);
    }
}

TEST(TaskGroup, EndsWithoutTheTasksThatNobodyBegan) {
    const Threads of_openmp(1);
    int runs = 0;
    {
        const TaskGroup group({[&] { ++runs; }});
    }
    EXPECT_EQ(runs, 0);
}

TEST(TaskGroup, WaitsAtItsEndForTasksThatWereBegun) {
    const Threads of_openmp(4);
    for (int round = 0; round < 1000; ++round) {
        std::array<std::atomic<bool>, 3> begun{};
        std::array<std::atomic<bool>, 3> ended{};
        Tasks tasks;
        for (std::size_t i = 0; i < begun.size(); ++i) {
            tasks.emplace_back([&begun, &ended, i] {
                begun[i] = true;
                std::this_thread::yield();
                ended[i] = true;
            });
        }
        { const TaskGroup group(std::move(tasks)); }
        for (std::size_t i = 0; i < begun.size(); ++i) ASSERT_EQ(begun[i], ended[i]);
    }
}

TEST(TaskGroup, LoopsWithinATaskHaveOneThread) {
    const Threads of_openmp(4);
    for (int round = 0; round < 100; ++round) {
        std::array<int, 4> threads{};
        Tasks tasks;
        for (int& one : threads) tasks.emplace_back([&one] { one = omp_get_max_threads(); });
        TaskGroup(std::move(tasks)).wait();
        for (const int one : threads) ASSERT_EQ(one, 1);
        ASSERT_EQ(omp_get_max_threads(), 4);
    }
}

class TaskRanges : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(TaskRanges, CoverAllIndicesOnce) {
    const Threads of_openmp(4);
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(GetParam()));
    task_ranges(0, GetParam(), 3, [&](std::int64_t first, std::int64_t end) {
        ASSERT_EQ(first % 3, 0);  // whole ranges are put together
        for (std::int64_t i = first; i < end; ++i) ++calls[static_cast<std::size_t>(i)];
    });
    for (const auto& one : calls) ASSERT_EQ(one, 1);
}

TEST_P(TaskRanges, RethrowTheExceptionOfTheFirstThatThrew) {
    const Threads of_openmp(4);
    std::string first;
    try {
        task_ranges(0, GetParam(), 3, [](std::int64_t begin, std::int64_t end) {
            if (end > 7) throw std::runtime_error(std::to_string(begin <= 7 ? 7 : begin));
        });
    } catch (const std::runtime_error& error) {
        first = error.what();
    }
    EXPECT_EQ(first, GetParam() > 7 ? "7" : "");
}

INSTANTIATE_TEST_SUITE_P(Sizes, TaskRanges, ::testing::Values(0, 1, 3, 4, 15, 16, 17, 50, 95, 96, 97, 1000));

}  // namespace
}  // namespace tilespmv
