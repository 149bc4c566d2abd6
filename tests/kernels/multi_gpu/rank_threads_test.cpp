#include "kernels/multi_gpu/rank_threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "tests/support/message_of.hpp"
#include "tile/error.hpp"

namespace tilespmv::multi_gpu {
namespace {

TEST(RankThreads, GatherInTheOrderOfRanks) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
        ThreadGroup group(ranks);
        std::vector<std::vector<double>> all(static_cast<std::size_t>(ranks));
        run_ranks(group.meeting(), [&](int rank) {
            auto& mine = all[static_cast<std::size_t>(rank)];
            mine.resize(static_cast<std::size_t>(2 * ranks));
            for (int turn = 0; turn < 100; ++turn) {
                const std::array<double, 2> own{rank + 0.5, rank * 10.0 + turn};
                group.communicator(rank).all_gather(own.data(), 2, mine.data(), nullptr);
            }
        });
        for (const auto& one : all) {
            for (int rank = 0; rank < ranks; ++rank) {
                EXPECT_EQ(one[static_cast<std::size_t>(2 * rank)], rank + 0.5);
                EXPECT_EQ(one[static_cast<std::size_t>(2 * rank + 1)], rank * 10.0 + 99);
            }
        }
    }
}

TEST(RankThreads, ReportWhoFailedAndLeaveNobodyWaiting) {
    for (int again = 0; again < 20; ++again) {
        ThreadGroup group(4);
        const auto message = test::message_of([&] {
            run_ranks(group.meeting(), [&](int rank) {
                group.meeting().wait();
                if (rank >= 2) throw Error("rank " + std::to_string(rank) + " fell", ExitCode::unavailable);
                group.meeting().wait();
                ADD_FAILURE() << "a rank went on";
            });
        });
        EXPECT_EQ(message, "4: rank 2 fell");
    }
}

TEST(RankThreads, ReportTheCauseAndNotWhatItLedTo) {
    ThreadGroup group(4);
    std::atomic<bool> is_told = false;
    const auto f = [&](int rank) {
        if (rank == 2) throw Error("the cause");
        is_told.wait(false);
        throw Error("a consequence");
    };
    const auto on_failure = [&] {
        EXPECT_FALSE(is_told.exchange(true));
        is_told.notify_all();
    };
    EXPECT_EQ(test::message_of([&] { run_ranks(group.meeting(), f, on_failure); }), "1: the cause");
}

TEST(RankThreads, RunOneRankInTheCallersThread) {
    ThreadGroup group(1);
    const auto here = std::this_thread::get_id();
    run_ranks(group.meeting(), [&](int) { EXPECT_EQ(std::this_thread::get_id(), here); });
}

}  // namespace
}  // namespace tilespmv::multi_gpu
