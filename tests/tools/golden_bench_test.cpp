// Whole reports of results: tables, summaries, CSV, JSON, comparisons.
#include <gtest/gtest.h>

#include "bench/harness/compare.hpp"
#include "tests/tools/golden.hpp"
#include "tests/tools/golden_results.hpp"
#include "tests/tools/transcript.hpp"
#include "tools/bench/report.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using bench::ResultSet;
using test::expect_golden;

/// The results of one matrix and value type after the other, as `bench` prints them.
std::string report(const ResultSet& set, const std::vector<std::string>& baselines) {
    std::vector<std::vector<Result>> groups;
    for (const Result& r : set.results) {
        const auto same = [&](const Result& other) {
            return other.id.matrix == r.id.matrix && other.id.values == r.id.values;
        };
        if (groups.empty() || !same(groups.back().front())) groups.emplace_back();
        groups.back().push_back(r);
    }
    std::string text;
    for (const auto& group : groups) text += results_text(group, baselines) + '\n';
    for (const auto mode : bench::kModes) {
        for (const auto& baseline : baselines) {
            const std::string summary = summary_text(set.results, baseline, mode);
            if (mode == bench::Mode::warm || !summary.empty()) text += summary + '\n';
        }
    }
    return text + legend_text(set.results);
}

TEST(GoldenBench, Report) { expect_golden("bench_report.txt", report(test::golden_results(), {"csr-omp", "absent"})); }

TEST(GoldenBench, ReportOfAGpu) {
    expect_golden("bench_report_gpu.txt", report(test::golden_gpu_results(), {"cusparse", "cusparse-csr"}));
}

TEST(GoldenBench, ReportOfEveryMode) {
    expect_golden("bench_report_modes.txt", report(test::golden_mode_results(), {"cusparse", "cusparse-csr"}));
}

TEST(GoldenBench, Csv) {
    expect_golden("bench_modes.csv", results_csv(test::golden_mode_results().results, {"cusparse", "cusparse-csr"}));
    expect_golden("bench.csv", results_csv(test::golden_results().results, {"csr-omp", "absent"}));
    expect_golden("bench_gpu.csv", results_csv(test::golden_gpu_results().results, {"cusparse", "cusparse-csr"}));
}

/// One result of each status; with no GPU and with one.
TEST(GoldenBench, ResultFile) {
    ResultSet set = test::golden_results();
    set.results.erase(set.results.begin(), set.results.begin() + 8);
    set.results.erase(set.results.begin() + 1, set.results.begin() + 5);
    expect_golden("bench.json", results_json(set));
    set = test::golden_gpu_results();
    set.results.erase(set.results.begin() + 4, set.results.end());
    set.results.erase(set.results.begin(), set.results.begin() + 3);
    expect_golden("bench_gpu.json", results_json(set));
}

/// What was read is what was written.
TEST(GoldenBench, ResultFileIsReadBack) {
    for (const ResultSet& set : {test::golden_results(), test::golden_gpu_results(), test::golden_mode_results()}) {
        const test::TemporaryDirectory directory;
        const std::string text = results_json(set);
        EXPECT_EQ(results_json(bench::read_results(directory.file("a.json", text))), text);
    }
}

/// The second file has every case faster, slower, the same, in doubt, or not at all.
ResultSet changed_results() {
    ResultSet set = test::golden_results();
    set.build.revision = "fedcba987654";
    set.build.compiler = "Another compiler 13";
    auto& r = set.results;
    const auto scale_times = [&](std::size_t i, double factor) {
        for (double& s : r[i].warm.seconds) s *= factor;
    };
    scale_times(0, 0.5);
    scale_times(1, 2);
    scale_times(2, 1.0625);
    scale_times(3, 0.9375);
    r[4].warm.seconds.resize(5);
    r[5].status = bench::Status::wrong;
    r[6].status = bench::Status::failed;
    r[7].id.threads = 4;
    return set;
}

TEST(GoldenBench, Comparison) {
    test::Transcript commands;
    write_results(commands.path("first.json"), test::golden_results());
    write_results(commands.path("second.json"), changed_results());
    write_results(commands.path("gpu.json"), test::golden_gpu_results());
    commands.run("compare {}first.json {}second.json");
    commands.run("compare {}first.json {}second.json --witness none");
    commands.run("compare {}first.json {}second.json --effect 20 --witness none");
    write_results(commands.path("first2.json"), test::golden_results());
    write_results(commands.path("second2.json"), changed_results());
    commands.run("compare {}first.json {}second.json --first {}first2.json --second {}second2.json");
    commands.run("compare {}first.json {}second.json --first {}first.json");
    commands.run("compare {}gpu.json {}gpu.json --effect 9.5");
    commands.run("compare {}first.json {}missing.json");
    write_results(commands.path("modes.json"), test::golden_mode_results());
    commands.run("compare {}modes.json {}modes.json --mode graph");
    commands.run("compare {}modes.json {}first.json --mode graph");
    expect_golden("compare.txt", commands.text());
}

/// Machines that differ in their GPU alone are told apart.
TEST(GoldenBench, ComparisonOfMachines) {
    test::Transcript commands;
    ResultSet set = test::golden_results();
    set.results.resize(1);
    write_results(commands.path("cpu.json"), set);
    set.machine.gpu = test::golden_gpu_results().machine.gpu;
    write_results(commands.path("gpu.json"), set);
    commands.run("compare {}cpu.json {}gpu.json");
    expect_golden("compare_machines.txt", commands.text());
}

}  // namespace
}  // namespace tilespmv::tools
