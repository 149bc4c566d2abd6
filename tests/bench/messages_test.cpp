// The whole text of every error of the harness.
#include <gtest/gtest.h>
#include <unistd.h>

#include "bench/harness/experiment.hpp"
#include "bench/harness/result_file.hpp"
#include "bench/harness/suite.hpp"
#include "tests/bench/fake_device.hpp"
#include "tests/bench/sample_results.hpp"
#include "tests/support/lists.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"

namespace tilespmv::bench {
namespace {

using test::message_of;

const Machine kThisMachine = sample_machine();
const Build kThisBuild = sample_build();

class HarnessMessages : public testing::Test {
protected:
    std::string read(const std::string& text) {
        const auto file = directory_.file("a.json", text);
        const std::string said = message_of([&] { read_results(file); });
        return said.substr(said.find("a.json"));
    }

    /// Of going on with results of another machine or build.
    template <class Change>
    std::string resume(Change&& change) {
        ResultSet set{.machine = kThisMachine, .build = kThisBuild, .results = {}};
        change(set);
        const auto file = directory_.path() / "a.json";
        write_results(file, set);
        const std::string said = message_of([&] { resume_results(file, kThisMachine, kThisBuild); });
        if (said.starts_with("1: ")) return said.substr(said.find("a.json"));
        return said;
    }

    const test::TemporaryDirectory directory_;
};

TEST_F(HarnessMessages, FilesThatAreNoResults) {
    const std::string no = "a.json: not a result file of 'tilespmv bench --json' ";
    EXPECT_EQ(read(R"({"format": "other", "version": 1})"), no + "(it is of another kind)");
    EXPECT_EQ(read(R"({"format": "tilespmv-bench", "version": 2})"), no + "(it was written by a newer version)");
    const auto missing = directory_.path() / "missing.json";
    EXPECT_EQ(message_of([&] { read_results(missing); }),
              "1: " + missing.string() + ": cannot be read: No such file or directory");
}

TEST_F(HarnessMessages, ResultsOfAnotherMachineOrBuild) {
    const std::string what = "; name another file, or give --restart to replace it";
    EXPECT_EQ(resume([](ResultSet&) {}), "0: ");
    EXPECT_EQ(
        resume([](ResultSet& s) { s.machine.cpu = "6502"; }),
        "a.json: holds results of another machine (6502, CP/M, TMS9918, CUDA driver 13000, runtime 12080)" + what);
    EXPECT_EQ(resume([](ResultSet& s) { s.machine.gpu = {}; }),
              "a.json: holds results of another machine (Z80, CP/M, no GPU)" + what);
    EXPECT_EQ(resume([](ResultSet& s) { s.machine.vectors = "sse4"; }),
              "a.json: holds results of another machine (Z80 (sse4), CP/M, TMS9918, CUDA driver 13000, runtime 12080)" +
                  what);
    const std::string mine = "; this is abc, cc 7, Release)" + what;
    EXPECT_EQ(resume([](ResultSet& s) { s.build.revision = "def"; }),
              "a.json: holds results of another build (revision def, cc 7, Release" + mine);
    EXPECT_EQ(resume([](ResultSet& s) { s.build.compiler = "tcc 8"; }),
              "a.json: holds results of another build (revision abc, tcc 8, Release" + mine);
    EXPECT_EQ(resume([](ResultSet& s) { s.build.type = "Debug"; }),
              "a.json: holds results of another build (revision abc, cc 7, Debug" + mine);
}

/// Whatever differs between two machines, their results are not mixed.
TEST_F(HarnessMessages, EveryPartOfAMachineCounts) {
    using Change = void (*)(ResultSet&);
    for (const Change change : {Change{[](ResultSet& s) { s.machine.system = "MS-DOS"; }},
                                {[](ResultSet& s) { ++s.machine.cores; }},
                                {[](ResultSet& s) { ++s.machine.hardware_threads; }},
                                {[](ResultSet& s) { ++s.machine.memory_bytes; }},
                                {[](ResultSet& s) { ++s.machine.cache_bytes; }},
                                {[](ResultSet& s) { ++s.machine.gpu.memory_bytes; }},
                                {[](ResultSet& s) { ++s.machine.gpu.l2_bytes; }},
                                {[](ResultSet& s) { ++s.machine.gpu.driver; }},
                                {[](ResultSet& s) { ++s.machine.gpu.runtime; }},
                                {[](ResultSet& s) { s.build.version = "1.1"; }}}) {
        EXPECT_TRUE(resume(change).starts_with("a.json: holds results of another "));
    }
}

TEST_F(HarnessMessages, Suites) {
    EXPECT_EQ(message_of([] { find_suite("magic"); }),
              "2: unknown suite 'magic'; there are cpu-classes, gpu-classes, threads-per-vector, csr-vs-cusparse, "
              "tilespmv, paper, peers, unseen, unseen-small");
}

TEST_F(HarnessMessages, Candidates) {
    SteadyStopwatch stopwatch;
    FakeDevice device(stopwatch);
    EXPECT_EQ(message_of([&] { make_candidate<double>(device, "magic", ""); }),
              "2: unknown operator 'magic'; for the CPU there are " + test::cpu_operator_names());
    EXPECT_EQ(message_of([&] { make_candidate<double>(device, "csr-omp", "", Accumulator::float32); }),
              "2: operators of the CPU accumulate in float64 only");
    EXPECT_EQ(message_of([&] { make_candidate<double>(device, "tile-omp:a=1", "bytes"); }),
              "2: operator 'tile-omp:a=1': no option 'a'; it takes none");
}

/// A matrix that cannot be loaded gives its error to every case; one whose conversion fails gives it to that case.
TEST_F(HarnessMessages, OfCasesThatFail) {
    SteadyStopwatch stopwatch;
    FakeDevice device(stopwatch);
    MeasureOptions options;
    options.warm.max_samples = options.cold.max_samples = options.preprocess.max_samples = 1;
    options.min_sample_seconds = 0;
    Experiment<double> experiment{"a", [] { return CsrMatrix<double>{1, 1, {0, 1}, {0}, {2.0}}; }, {}};
    for (const auto* selector : {"bytes", "only:coo:else=magic"})
        experiment.candidates.push_back(make_candidate<double>(device, "tile-omp", selector));
    const auto results = measure(experiment, options, device);
    EXPECT_EQ(results[0].status, Status::ok);
    EXPECT_EQ(results[0].error, "");
    EXPECT_EQ(results[1].status, Status::failed);
    EXPECT_EQ(results[1].error, "unknown format 'magic'; there are " + test::format_names());
    experiment.load = []() -> CsrMatrix<double> { throw Error("a\n: cannot be read"); };
    for (const auto& result : measure(experiment, options, device)) {
        EXPECT_EQ(result.status, Status::failed);
        EXPECT_EQ(result.error, R"(a\n: cannot be read)");
        EXPECT_EQ(result.value_bytes, 0);
    }
}

}  // namespace
}  // namespace tilespmv::bench
