// All that a run of the benchmark prints, of results that need no measuring, and what it says meanwhile.
#include <cstdio>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/bench/fake_device.hpp"
#include "tests/support/threads.hpp"
#include "tests/tools/golden.hpp"
#include "tests/tools/golden_results.hpp"
#include "tests/tools/transcript.hpp"
#include "tile/io/file_lock.hpp"
#include "tools/bench/run.hpp"
#include "tools/terminal/status_line.hpp"

namespace tilespmv::tools {
namespace {

using test::expect_golden;
using test::replaced;

/// While it lives, standard error is a terminal, if the system has one to give.
class TerminalForErrors {
public:
    TerminalForErrors() : leader_(::posix_openpt(O_RDWR | O_NOCTTY)), before_(::dup(STDERR_FILENO)) {
        if (leader_ < 0 || ::grantpt(leader_) != 0 || ::unlockpt(leader_) != 0) return;
        const char* name = ::ptsname(leader_);
        follower_ = name == nullptr ? -1 : ::open(name, O_RDWR | O_NOCTTY);
        if (follower_ < 0) return;
        std::fflush(stderr);
        ::dup2(follower_, STDERR_FILENO);
        ::fcntl(leader_, F_SETFL, O_NONBLOCK);
    }
    TerminalForErrors(const TerminalForErrors&) = delete;
    TerminalForErrors& operator=(const TerminalForErrors&) = delete;
    ~TerminalForErrors() {
        ::dup2(before_, STDERR_FILENO);
        for (const int descriptor : {leader_, follower_, before_}) {
            if (descriptor >= 0) ::close(descriptor);
        }
    }

    [[nodiscard]] bool works() const { return follower_ >= 0; }

    /// What was written since the last call.
    std::string text() const {
        std::fflush(stderr);
        std::string all;
        char part[4096];
        for (ssize_t n = 0; (n = ::read(leader_, part, sizeof part)) > 0;)
            all.append(part, static_cast<std::size_t>(n));
        return all;
    }

private:
    int leader_;
    int before_;
    int follower_ = -1;
};

class GoldenBenchRun : public ::testing::Test {
protected:
    /// Keeps the right results of the fixed ones as if they had been measured here.
    void keep_results() {
        bench::ResultSet set = test::golden_results();
        set.machine = bench::this_machine();
        set.build = bench::this_build();
        std::erase_if(set.results, [](const auto& r) { return r.status != bench::Status::ok; });
        for (auto& r : set.results) {
            r.id.device = "fake";
            r.id.threads = 3;
        }
        write_results(options_.json, set);
    }

    std::string run() {
        ::testing::internal::CaptureStdout();
        std::string end;
        try {
            run_bench(options_, device_);
        } catch (const Error& error) {
            end = fmt::format("! {}\n= {}\n", error.what(), static_cast<int>(error.code()));
        }
        std::fflush(stdout);
        const auto build = bench::this_build();
        const std::string text = ::testing::internal::GetCapturedStdout() + end;
        return replaced(replaced(text, describe(bench::this_machine()), "MACHINE"),
                        fmt::format("; {} build by {};", build.type, build.compiler), "; BUILD;");
    }

    const test::Threads threads_{3};
    test::TemporaryDirectory directory_;
    bench::SteadyStopwatch stopwatch_;
    bench::FakeDevice device_{stopwatch_};
    BenchOptions options_{.sources = {"small.mtx", "folder/million.mtx.gz", "ten.tsp", "gen:laplace2d:n=1500"},
                          .suite = "",
                          .operators = {"csr-omp", "tile-omp"},
                          .selectors = {"bytes", "paper:coo=3,ell=0.5"},
                          .values = {},
                          .accumulator = {},
                          .modes = {},
                          .baselines = {},
                          .pattern_values = PatternValues::random,
                          .min_seconds = {},
                          .max_seconds = {},
                          .noise_percent = {},
                          .quick = true,
                          .restart = false,
                          .json = (directory_.path() / "a.json").string(),
                          .csv = ""};
};

TEST_F(GoldenBenchRun, GoesOnWithAFile) {
    keep_results();
    const auto before = test::content_of(options_.json);
    expect_golden("bench_run.txt", run());
    options_.csv = "-";
    expect_golden("bench_run.csv", run());
    EXPECT_EQ(test::content_of(options_.json), before);
    EXPECT_EQ(device_.flushes, 0);
}

TEST_F(GoldenBenchRun, AMatrixThatFails) {
    keep_results();
    options_.sources = {"missing.mtx", "small.mtx"};
    options_.baselines = {"tile-omp"};
    options_.csv = (directory_.path() / "a.csv").string();
    expect_golden("bench_run_failed.txt", run() + "a.csv:\n" + test::content_of(options_.csv));
}

TEST_F(GoldenBenchRun, SaysWhatItDoes) {
    const TerminalForErrors terminal;
    if (!terminal.works()) GTEST_SKIP() << "no terminal to be had";
    options_.sources = {"gen:laplace2d:n=5"};
    options_.selectors = {"bytes"};
    options_.min_seconds = options_.max_seconds = 1e-6;
    run();
    std::string lines = replaced(terminal.text(), "\r\033[K", "\n");
    EXPECT_EQ(lines,
              "\nlaplace2d:n=5: loading"
              "\nlaplace2d:n=5: computing the expected product"
              "\nlaplace2d:n=5: checking csr-omp "
              "\nlaplace2d:n=5: checking tile-omp bytes"
              "\nlaplace2d:n=5: measuring warm products"
              "\nlaplace2d:n=5: measuring cold products"
              "\nlaplace2d:n=5: measuring preprocessing"
              "\n");
}

TEST(StatusLine, IsWipedOnlyIfItWasDrawn) {
    const TerminalForErrors terminal;
    if (!terminal.works()) GTEST_SKIP() << "no terminal to be had";
    {
        StatusLine status;
        status.wipe();
        EXPECT_EQ(terminal.text(), "");
        status.show("one");
        EXPECT_EQ(terminal.text(), "\r\033[Kone");
        status.show("two");
        status.wipe();
        EXPECT_EQ(terminal.text(), "\r\033[Ktwo\r\033[K");
        status.wipe();
        EXPECT_EQ(terminal.text(), "");
        status.show("three");
    }
    EXPECT_EQ(terminal.text(), "\r\033[Kthree\r\033[K");
}

TEST(StatusLine, SaysNothingWithoutATerminal) {
    ::testing::internal::CaptureStderr();
    StatusLine().show("something");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tilespmv::tools
