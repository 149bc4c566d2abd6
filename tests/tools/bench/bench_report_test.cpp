#include "tools/bench/report.hpp"

#include <sstream>

#include <gmock/gmock.h>

#include "tests/bench/sample_results.hpp"
#include "tests/support/message_of.hpp"
#include "tools/text/executed_text.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using bench::sample_result;
using bench::Status;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kBaselines{"csr-omp"};

Result result_of(Status status, const std::string& error) {
    Result r = sample_result("a", {});
    r.status = status;
    r.error = error;
    r.cold = r.preprocess = {};
    r.speedups.clear();
    return r;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

TEST(BenchText, NamesTheOperatorThatAnotherOneTook) {
    Result r = sample_result("a", {1, 1, 1, 1, 1, 1});
    r.id.operator_name = "auto:products=9";
    r.runs = "sell";
    EXPECT_THAT(lines_of(results_text(std::vector{r}, kBaselines))[2], testing::StartsWith("auto:products=9 (sell)  "));
}

TEST(BenchText, MarksSayWhatTheyMean) {
    Result r = sample_result("a", {1, 1, 1, 1, 1, 1});
    r.speedups[0] = {.baseline = "csr-omp", .against = "csr-omp", .median = 1.5, .low = 1.49, .high = 1.51};
    EXPECT_THAT(legend_text(std::vector{r}), IsEmpty());
    r.speedups[0].high = 1.7;  // a mark of its own, whatever the times are
    EXPECT_THAT(legend_text(std::vector{r}), testing::StartsWith("~ too noisy"));
    r.speedups[0].high = 1.51;
    r.warm.converged = false;
    r.cache_bytes = r.product_bytes;
    EXPECT_THAT(results_text(std::vector{r}, kBaselines), AllOf(HasSubstr("1000~"), HasSubstr("50%*")));
    EXPECT_THAT(legend_text(std::vector{r}), AllOf(HasSubstr("~ too noisy"), HasSubstr("* fits the last-level cache")));
}

TEST(BenchText, WhatWasSkippedSaysWhy) {
    const std::vector results{result_of(Status::skipped, "too many diagonals"), sample_result("a", {1, 1, 1, 1, 1, 1})};
    const auto lines = lines_of(results_text(results, kBaselines));
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_THAT(lines[2], testing::MatchesRegex("tile-omp +bytes +float64[ -]+skipped"));
    EXPECT_EQ(lines[4], "skipped: tile-omp bytes: too many diagonals");
    EXPECT_THAT(results_csv(results, kBaselines), HasSubstr(",skipped,\"too many diagonals\","));
}

TEST(BenchText, TroubleThatAllShareIsSaidOnce) {
    Result r = result_of(Status::failed, "no such file");
    r.value_bytes = 0;
    const auto lines = lines_of(results_text(std::vector{r, r}, kBaselines));
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_EQ(lines[0], "a: float64, cpu, 2 threads");
    EXPECT_EQ(lines[4], "failed: no such file");
}

TEST(BenchText, SummaryHasTheLimitsThatItNames) {
    std::vector<Result> results;
    for (const auto& [nnz, speedup] :
         {std::pair{offset_t{1'000'000}, 0.953}, {offset_t{10'000'000}, 0.952}, {offset_t{10'000'001}, 1.0}}) {
        results.push_back(sample_result("a", {1}));
        results.back().nnz = nnz;
        results.back().speedups[0].median = speedup;
    }
    const auto lines = lines_of(summary_text(results, "csr-omp"));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_THAT(lines[2], testing::MatchesRegex(
                              "tile-omp +bytes +float64 +- +0.95x \\(0.95x, 2 of 2\\) +1.00x \\(1.00x, 0 of 1\\) "
                              "+0.97x \\(0.95x, 2 of 3\\) +2 of 3"));
    EXPECT_THAT(summary_text(std::vector{results[0]}, "csr-omp"), IsEmpty());
    for (Result& r : results) r.id.operator_name = "csr-omp";  // alone, so that it is always its own baseline
    EXPECT_THAT(summary_text(results, "csr-omp"), IsEmpty());
}

TEST(BenchText, SummaryIsOfOneModeByTheSizesOfASuite) {
    std::vector<Result> results;
    for (const offset_t nnz : {5'999'999, 6'000'000, 6'000'001}) {
        results.push_back(sample_result("a", {1}));
        results.back().nnz = nnz;
        results.back().speedups.push_back({.baseline = "csr-omp",
                                           .against = "csr-omp",
                                           .median = static_cast<double>(nnz - 5'999'998),
                                           .low = 1,
                                           .high = 1,
                                           .mode = bench::Mode::graph});
    }
    const auto lines =
        lines_of(summary_text(results, "csr-omp", bench::Mode::graph, {.middle = 1'000'000, .most = 6'000'000}));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0], "speed-up over csr-omp, graph: geometric mean (least, losses of matrices)");
    EXPECT_THAT(lines[1], HasSubstr("< 1M nnz               1M to 6M"));
    EXPECT_THAT(lines[2],
                HasSubstr(" -  1.41x (1.00x, 0 of 2)  3.00x (3.00x, 0 of 1)  1.82x (1.00x, 0 of 3)     3 of 3"));
    EXPECT_THAT(summary_text(results, "csr-omp", bench::Mode::chain), IsEmpty());
}

int exit_code(const std::vector<Result>& results) {
    return std::stoi(test::message_of([&] { require_right(results); }));
}

TEST(RequireRight, WrongOutweighsFailed) {
    const Result right = sample_result("a", {1}), failed = result_of(Status::failed, "f"),
                 wrong = result_of(Status::wrong, "w"), skipped = result_of(Status::skipped, "s");
    EXPECT_EQ(exit_code({right}), 0);
    EXPECT_EQ(exit_code({right, skipped}), 0);
    EXPECT_EQ(exit_code({right, failed}), 1);
    EXPECT_EQ(exit_code({failed, wrong, right}), 3);
}

}  // namespace
}  // namespace tilespmv::tools
