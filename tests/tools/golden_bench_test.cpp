// Whole reports of results: tables, summaries, CSV, JSON.
#include <gtest/gtest.h>

#include "tests/temporary_directory.hpp"
#include "tests/tools/golden.hpp"
#include "tests/tools/golden_results.hpp"
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

}  // namespace
}  // namespace tilespmv::tools
