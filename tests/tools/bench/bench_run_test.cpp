#include "tools/bench/run.hpp"

#include <functional>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "bench/harness/result_file.hpp"
#include "bench/harness/suite.hpp"
#include "kernels/cuda/device.hpp"
#include "tests/bench/fake_device.hpp"
#include "tests/support/lists.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"
#include "tile/io/file_lock.hpp"
#include "tools/bench/plan.hpp"

namespace tilespmv::tools {
namespace {

using bench::ResultSet;
using bench::Status;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class BenchRun : public testing::Test {
protected:
    BenchRun() {
        options_.sources = {"gen:laplace2d:n=5"};
        options_.operators = {"csr-omp", "tile-omp"};
        options_.json = json_;
        options_.quick = true;
        options_.min_seconds = 1e-4;
        options_.max_seconds = 1e-3;
    }
    // What it prints on stdout; `error_` and `code_` say how it ended.
    std::string run() {
        error_ = "";
        code_ = ExitCode::ok;
        device_.flushes = 0;
        testing::internal::CaptureStdout();
        try {
            run_bench(options_, device_);
        } catch (const Error& error) {
            error_ = error.what();
            code_ = error.code();
        }
        std::fflush(stdout);
        return testing::internal::GetCapturedStdout();
    }

    bool measured() const { return device_.flushes > 0; }
    ResultSet saved() const { return bench::read_results(json_); }

    const test::TemporaryDirectory directory_;
    const std::string json_ = (directory_.path() / "a.json").string();
    bench::SteadyStopwatch stopwatch_;
    bench::FakeDevice device_{stopwatch_};
    BenchOptions options_;
    std::string error_;
    ExitCode code_ = ExitCode::ok;
};

TEST_F(BenchRun, MaxTimeBoundsWarmAndColdProductsAndPreprocessing) {
    options_.min_seconds = options_.max_seconds = 1e-12;
    run();
    for (const auto& r : saved().results) {
        EXPECT_THAT(r.warm.seconds, SizeIs(1));
        EXPECT_THAT(r.cold.seconds, SizeIs(1));
        EXPECT_THAT(r.preprocess.seconds, SizeIs(1));
    }
}

/// Every stretch of work takes between one second and two.
class NoisyStopwatch final : public bench::Stopwatch {
public:
    void start() override {}
    double stop() override { return 1 + static_cast<double>(random_() % 1000) / 1000; }

private:
    std::minstd_rand random_{1};
};

TEST_F(BenchRun, NoiseIsInPercent) {
    NoisyStopwatch noisy;
    bench::FakeDevice device(noisy);
    options_.operators = {"csr-omp"};
    options_.max_seconds = 1e6;
    const auto samples = [&](double percent) {
        options_.noise_percent = percent;
        options_.restart = true;
        testing::internal::CaptureStdout();
        run_bench(options_, device);
        testing::internal::GetCapturedStdout();
        return saved().results.at(0).warm.seconds.size();
    };
    EXPECT_EQ(samples(50), 6u) << "the least number of samples";
    EXPECT_GT(samples(1), 100u);
}

TEST_F(BenchRun, MaxTimeLengthensWarmProductsAlone) {
    NoisyStopwatch noisy;
    bench::FakeDevice device(noisy);
    options_.operators = {"csr-omp"};
    options_.max_seconds = 1e6;
    testing::internal::CaptureStdout();
    run_bench(options_, device);
    testing::internal::GetCapturedStdout();
    const ResultSet set = saved();
    const auto& r = set.results.at(0);
    EXPECT_GT(r.warm.seconds.size(), 1u);
    EXPECT_THAT(r.cold.seconds, SizeIs(1)) << "the first takes longer than cold products may";
}

TEST_F(BenchRun, FinishedCasesAreNotRunAgain) {
    run();
    const ResultSet before = saved();
    const std::string text = run();
    EXPECT_FALSE(measured());
    EXPECT_THAT(text, HasSubstr("tile-omp"));

    options_.selectors = {"bytes", "paper"};
    run();
    EXPECT_TRUE(measured());
    const ResultSet after = saved();
    ASSERT_THAT(after.results, SizeIs(3));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(after.results[i].warm.seconds, before.results[i].warm.seconds);
    EXPECT_EQ(after.results[2].id.selector, "paper");
    EXPECT_THAT(after.results[2].speedups, SizeIs(2)) << "of warm and of cold products";

    options_.restart = true;
    options_.selectors = {};
    run();
    EXPECT_TRUE(measured());
    EXPECT_THAT(saved().results, SizeIs(2));
    EXPECT_NE(saved().results[0].warm.seconds, before.results[0].warm.seconds);
}

TEST_F(BenchRun, ModesThatAFileLacksAreMeasuredAndThoseItHasStay) {
    options_.modes = {"chain"};
    EXPECT_THAT(run(), AllOf(HasSubstr("chain ms  chain vs csr-omp"), Not(HasSubstr("axpy"))));
    EXPECT_FALSE(measured()) << "caches are flushed for cold products alone";
    for (const auto& r : saved().results) {
        EXPECT_FALSE(r.chain.seconds.empty());
        EXPECT_TRUE(r.cold.seconds.empty());
    }
    options_.modes = {"cold", "axpy"};
    EXPECT_THAT(run(), HasSubstr("axpy ms  axpy vs csr-omp\n"));
    EXPECT_TRUE(measured());
    for (const auto& r : saved().results) {
        for (const auto* times : {&r.warm, &r.cold, &r.chain, &r.axpy}) {
            EXPECT_FALSE(times->seconds.empty());
        }
    }
    const auto before = test::content_of(json_);
    options_.modes = {"chain"};
    run();
    EXPECT_EQ(test::content_of(json_), before);
}

TEST_F(BenchRun, AFileWithoutValuesGetsRandomOnesAndTheResultSaysSo) {
    const auto pattern = directory_.file("p.mtx", "%%MatrixMarket matrix coordinate pattern general\n5 4 1\n1 1\n");
    const auto real = directory_.file("r.mtx", "%%MatrixMarket matrix coordinate real general\n5 4 1\n1 1 1\n");
    options_.sources = {pattern.string(), real.string()};
    EXPECT_THAT(run(), AllOf(HasSubstr("p: 5 x 4, 1 nonzeros, float64, fake, "),
                             HasSubstr(", a pattern with values: random\noperator"), HasSubstr("r: 5 x 4")));
    const auto values = [&] {
        std::vector<std::string> all;
        for (const auto& r : saved().results) all.push_back(r.pattern_values);
        return all;
    };
    EXPECT_THAT(values(), testing::ElementsAre("random", "random", "", ""));
    const ResultSet before = saved();
    options_.pattern_values = PatternValues::ones;
    run();
    EXPECT_TRUE(measured());
    EXPECT_THAT(values(), testing::ElementsAre("ones", "ones", "", ""));
    EXPECT_EQ(saved().results[2].warm.seconds, before.results[2].warm.seconds) << "it has values";
}

TEST(PatternValues, AreTheSameOnEveryMachineAndSymmetricWhereThePatternIs) {
    const test::TemporaryDirectory directory;
    const auto load = [&](const char* symmetry, PatternValues values) {
        const auto text = fmt::format("%%MatrixMarket matrix coordinate pattern {}\n3 3 2\n2 1\n3 2\n", symmetry);
        ReadNotes notes;
        const auto a = load_csr<double>(directory.file(fmt::format("{}.mtx", symmetry), text).string(), values, &notes);
        EXPECT_TRUE(notes.is_pattern);
        return std::vector<double>(a.values.begin(), a.values.end());
    };
    const double a = -0x1.e899eb4f0976ap-1, b = -0x1.3877a9dd5701p-4;
    EXPECT_THAT(load("general", PatternValues::random), testing::ElementsAre(a, b));
    EXPECT_THAT(load("symmetric", PatternValues::random), testing::ElementsAre(a, a, b, b));
    EXPECT_THAT(load("skew-symmetric", PatternValues::random), testing::ElementsAre(-a, a, -b, b));
    EXPECT_THAT(load("symmetric", PatternValues::ones), testing::Each(1));
    ReadNotes notes;
    static_cast<void>(load_csr<float>("gen:laplace2d:n=2", PatternValues::random, &notes));
    EXPECT_FALSE(notes.is_pattern);
}

TEST_F(BenchRun, NamesMayHoldAnyBytes) {
    constexpr auto matrix = "%%MatrixMarket matrix coordinate real general\n5 4 1\n1 1 1\n";
    for (const char* name : {"a\xff.mtx", R"(a\xff.mtx)", "a\x1b[31m\n\".mtx"}) {
        options_.sources.push_back(directory_.file(name, matrix));
    }
    options_.sources.push_back("missing\xfe");
    const std::string text = run();
    EXPECT_EQ(error_, "2 of 10 cases failed");
    EXPECT_THAT(text, AllOf(HasSubstr("a\\xff: 5 x 4"), HasSubstr("a\\x1b[31m\\n"), HasSubstr("failed: missing\\xfe: "),
                            Not(HasSubstr("\xff")), Not(HasSubstr("\x1b")), Not(HasSubstr("\xfe"))));
    ASSERT_THAT(saved().results, SizeIs(10));  // none is taken for another
    EXPECT_THAT(saved().results.back().error, HasSubstr("missing\\xfe: "));
    run();
    EXPECT_FALSE(measured());
}

TEST_F(BenchRun, TwoDoNotWriteToOneFile) {
    run();
    const auto before = test::content_of(json_);
    {
        const FileLock another(json_);
        for (const bool restart : {false, true}) {
            options_.restart = restart;
            options_.selectors = {"paper"};
            run();
            EXPECT_EQ(error_, json_ + ": another process is writing to it; wait for its end, or name another file");
            EXPECT_EQ(code_, ExitCode::failure);
            EXPECT_FALSE(measured());
        }
    }
    EXPECT_EQ(test::content_of(json_), before);
    run();
    EXPECT_EQ(error_, "");
}

// An arrow has twice as many diagonals as rows.
TEST_F(BenchRun, OperatorThatDoesNotSuitAMatrixIsSkippedAndNothingIsWrong) {
    options_.sources = {"gen:arrow:n=3000", "gen:laplace2d:n=5"};
    options_.operators = {"csr-omp", "dia-omp"};
    EXPECT_THAT(run(), HasSubstr("skipped: dia-omp: DIA would take"));
    EXPECT_EQ(error_, "");
    ASSERT_THAT(saved().results, SizeIs(4));
    EXPECT_EQ(saved().results[1].status, Status::skipped);
    EXPECT_EQ(saved().results[3].status, Status::ok);
    EXPECT_THAT(run(), HasSubstr("skipped: dia-omp: DIA would take"));
    EXPECT_FALSE(measured()) << "it is skipped again";
}

TEST_F(BenchRun, MoreOperatorsStandBesideThoseThatRunAnyway) {
    options_.operators = {};
    options_.more_operators = {"dia-omp", "ell-omp"};
    run();
    std::vector<std::string> names;
    for (const auto& r : saved().results) names.push_back(r.id.operator_name);
    auto expected = test::cpu_contestants();
    expected.insert(expected.end(), {"dia-omp", "ell-omp"});
    EXPECT_EQ(names, expected);
}

TEST_F(BenchRun, BaselinesTakePartUnasked) {
    options_.operators = {"tile-omp"};
    options_.baselines = {"reference", "csr-omp"};
    const std::string text = run();
    EXPECT_THAT(text, AllOf(HasSubstr("vs reference"), HasSubstr("vs csr-omp")));
    ASSERT_THAT(saved().results, SizeIs(3));
    for (const auto& r : saved().results) EXPECT_THAT(r.speedups, SizeIs(4)) << "of warm and of cold products";
}

TEST_F(BenchRun, MachineReadableOutputIsAloneOnStdout) {
    options_.json = "-";
    EXPECT_THAT(run(), StartsWith("{\n \"format\": \"tilespmv-bench\""));
    options_.json = "";
    options_.csv = "-";
    EXPECT_THAT(run(), StartsWith("matrix,operator,"));
}

TEST(BenchPlan, FilesAndASuiteAreMeasuredTogether) {
    const auto& suite = bench::find_suite("peers");
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        BenchOptions options;
        options.suite = "peers";
        options.sources = {"a.mtx", "folder/b.mtx"};
        complete(options, backend);
        ASSERT_THAT(options.sources, SizeIs(2 + suite.sources.size()));
        EXPECT_EQ(options.sources[1], "folder/b.mtx");
        EXPECT_EQ(options.sources[2], suite.sources.front());
        EXPECT_THAT(options.baselines, testing::ElementsAre(backend == Backend::cpu ? "csr-omp" : "cusparse"));
    }
}

TEST(BenchPlan, ASuiteWithoutMatricesNeedsSome) {
    BenchOptions options;
    options.suite = "paper";
    EXPECT_EQ(test::message_of([&] { complete(options, Backend::cuda); }),
              "2: no matrix; give one, or a suite with --suite");
    options.sources = {"a.mtx"};
    EXPECT_EQ(test::message_of([&] { complete(options, Backend::cuda); }), "0: ");
    EXPECT_THAT(options.operators, testing::ElementsAre("tile", "tile-warp"));
}

TEST(BenchPlan, OperatorsOfASuiteGiveWayToThoseAskedFor) {
    const auto more = [](Backend backend, const std::vector<std::string>& operators) {
        BenchOptions options;
        options.suite = "peers";
        options.operators = operators;
        complete(options, backend);
        EXPECT_EQ(options.operators, operators);
        return options.more_operators;
    };
    EXPECT_THAT(more(Backend::cuda, {}), testing::ElementsAre("dia", "ell"));
    EXPECT_THAT(more(Backend::cuda, {"sell"}), testing::IsEmpty());
    EXPECT_THAT(more(Backend::cpu, {}), testing::IsEmpty());
}

TEST(BenchPlan, OnACpuOperatorsOfAGpuAreLeftOutAloud) {
    const auto said = [](const std::string& suite, const std::vector<std::string>& operators,
                         const std::vector<std::string>& baselines = {}) {
        BenchOptions options;
        options.suite = suite;
        options.baselines = baselines;
        options.sources = {"a.mtx"};
        options.operators = operators;
        ::testing::internal::CaptureStderr();
        const auto message = test::message_of([&] { complete(options, Backend::cpu); });
        return message + ::testing::internal::GetCapturedStderr();
    };
    EXPECT_EQ(
        said("peers", {}),
        "0: tilespmv: suite peers: left out: the operators for a GPU, the baseline cusparse; measured are those of "
        "the CPU\n");
    EXPECT_EQ(said("peers", {}, {"tile-omp"}),
              "0: tilespmv: suite peers: left out: the operators for a GPU; measured are those of the CPU\n");
    EXPECT_EQ(said("gpu-classes", {}),
              "0: tilespmv: suite gpu-classes: left out: the operators for a GPU; measured are those of the CPU\n");
    EXPECT_EQ(said("cpu-classes", {}), "0: ");
    const bool has_gpu = test::message_of([] { (void)cuda::require_device(); }) == "0: ";
    for (const char* suite : {"threads-per-vector", "csr-vs-cusparse", "tilespmv", "paper"}) {
        EXPECT_EQ(said(suite, {"csr-omp"}), "0: ");
        EXPECT_THAT(said(suite, {}),
                    AllOf(StartsWith(has_gpu ? "2: the suite " : "4: the suite "), HasSubstr("which run on a GPU: ")));
    }
}

TEST_F(BenchRun, WhatIsWrongWithTheQuestionIsSaidBeforeAnythingIsMeasured) {
    const BenchOptions right = options_;
    struct Mistake {
        std::function<void(BenchOptions&)> make;
        ExitCode code;
        std::string words;
    };
    constexpr auto usage = ExitCode::usage, failure = ExitCode::failure;
    for (const auto& [make, code, words] : std::vector<Mistake>{
             {[](auto& o) { o.operators = {"magic"}; }, usage, "unknown operator 'magic'"},
             {[](auto& o) { o.operators = {"tile-omp:threads=2"}; }, usage, "no option 'threads'"},
             {[](auto& o) {
                  o.modes = {"warm", "graph"};
              },
              usage, "mode graph needs a GPU"},
             {[](auto& o) { o.is_from_gpu = true; }, usage, "--from-gpu is for --device cuda"},
             {[](auto& o) { o.modes = {"magic"}; }, usage, "unknown mode 'magic'"},
             {[](auto& o) { o.accumulator = Accumulator::float32; }, usage, "accumulate in float64 only"},
             {[](auto& o) { o.baselines = {"magic"}; }, usage, "unknown operator 'magic'"},
             {[](auto& o) { o.selectors = {"magic"}; }, usage, "unknown selector 'magic'"},
             {[](auto& o) { o.selectors = {"magic"}, o.operators = {"csr-omp"}; }, usage, "unknown selector 'magic'"},
             {[](auto& o) { o.suite = "magic"; }, usage, "unknown suite 'magic'; there are cpu-classes"},
             {[](auto& o) { o.sources = {}; }, usage, "no matrix"},
             {[](auto& o) { o.json = "no/such/folder/a.json"; }, failure, "no/such/folder/a.json"},
             {[](auto& o) { o.csv = "no/such/folder/a.csv"; }, failure, "no/such/folder/a.csv"}}) {
        options_ = right;
        make(options_);
        run();
        EXPECT_EQ(code_, code) << words;
        EXPECT_THAT(error_, HasSubstr(words));
        EXPECT_FALSE(measured()) << words;
    }
}

}  // namespace
}  // namespace tilespmv::tools
