#include "tools/bench/report.hpp"

#include <sstream>

#include <gmock/gmock.h>

#include "tests/bench/sample_results.hpp"
#include "tile/error.hpp"
#include "tools/text/executed_text.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using bench::sample_result;
using bench::Status;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

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

TEST(BenchText, RowHasEveryNumber) {
    const auto lines =
        lines_of(results_text(std::vector{sample_result("gen:a", {.5, .5, .5, .5, .5, .5})}, kBaselines));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_EQ(lines[0], "a: 4 x 5, 10 nonzeros, float64, cpu, 2 threads");
    std::istringstream row(lines[2]);
    const std::vector<std::string> cells{std::istream_iterator<std::string>(row), {}};
    EXPECT_THAT(cells, testing::ElementsAre("tile-omp", "bytes", "float64", "500", "0.0%", "5000", "0.00", "0.0",
                                            "100%", "1.50x~", "8000", "8.0", "10.00", "coo", "70%,", "deferred", "30%",
                                            "128", "B", "ok"));
}

TEST(BenchText, SaysWhatWasExecutedAndNotWhatWasStored) {
    Result r = sample_result("a", {1, 1, 1, 1, 1, 1});
    r.executed = {{"csr16", "", 1, 10, 100}};
    const auto lines = lines_of(results_text(std::vector{r}, kBaselines));
    EXPECT_THAT(lines[1], HasSubstr("  executes  "));
    EXPECT_THAT(lines[2], AllOf(HasSubstr("  csr16 100%  "), Not(HasSubstr("coo"))));
    r.executed.clear();  // as in a file of an older version
    EXPECT_THAT(lines_of(results_text(std::vector{r}, kBaselines))[2], HasSubstr("  10.00         -   128 B"));
}

TEST(BenchText, NamesTheOperatorThatAnotherOneTook) {
    Result r = sample_result("a", {1, 1, 1, 1, 1, 1});
    r.id.operator_name = "auto:products=9";
    r.runs = "csr16";
    EXPECT_THAT(lines_of(results_text(std::vector{r}, kBaselines))[2],
                testing::StartsWith("auto:products=9 (csr16)  "));
}

TEST(ExecutedText, IsTheLargestPartsByNonzeros) {
    const std::vector<ExecutedPart> parts{{"tiles", "coo", 1, 1, 1},
                                          {"tiles", "ell", 1, 710, 1},
                                          {"csr", "deferred", 1, 90, 1},
                                          {"csr16", "", 1, 199, 1}};
    EXPECT_EQ(executed_text(parts, 4), "ell 71%, csr16 20%, deferred 9%, coo <1%");
    EXPECT_EQ(executed_text(parts, 3), "ell 71%, csr16 20%, deferred 9%, 1 more");
    EXPECT_EQ(executed_text(std::vector<ExecutedPart>{{"csr", "", 1, 1, 1}}, 3), "csr 100%");
    EXPECT_EQ(executed_text(std::vector<ExecutedPart>{{"csr", "", 1, 999, 1}, {"coo", "", 1, 4, 1}}, 3),
              "csr >99%, coo <1%");
    EXPECT_EQ(executed_text({}, 3), "");
}

TEST(BenchText, SaysWhichOfAGroupTheBaselineIs) {
    Result r = sample_result("a", {1, 1, 1, 1, 1, 1});
    r.speedups = {{.baseline = "cusparse", .against = "cusparse-sell", .median = 1.5, .low = 1.49, .high = 1.51}};
    const auto lines = lines_of(results_text(std::vector{r}, {"cusparse", "nothing"}));
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_THAT(lines[1], HasSubstr("vs cusparse  vs nothing"));
    EXPECT_EQ(lines[3], "fastest cusparse: cusparse-sell");
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

TEST(BenchText, WrongResultShowsNoNumberButWhatIsWrong) {
    const auto lines = lines_of(results_text(
        std::vector{result_of(Status::wrong, "row 3 is 7"), sample_result("a", {1, 1, 1, 1, 1, 1})}, kBaselines));
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_THAT(lines[2], testing::MatchesRegex("tile-omp +bytes +float64[ -]+WRONG"));
    EXPECT_EQ(lines[4], "WRONG: tile-omp bytes: row 3 is 7");
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

TEST(BenchText, SummaryIsTheGeometricMeanOfEachSizeGroup) {
    std::vector<Result> results;
    for (const auto& [nnz, speedup] :
         {std::pair{offset_t{10}, 1.0}, {offset_t{999'999}, 4.0}, {offset_t{20'000'000}, 0.5}}) {
        results.push_back(sample_result("a", {1}));
        results.back().nnz = nnz;
        results.back().speedups[0].median = speedup;
    }
    const auto lines = lines_of(summary_text(results, "csr-omp"));
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_THAT(lines[2], testing::MatchesRegex(
                              "tile-omp +bytes +float64 +2.00x \\(1.00x, 0 of 2\\) +- +0.50x \\(0.50x, 1 of 1\\) "
                              "+1.26x \\(0.50x, 1 of 3\\) +2 of 3"));
    EXPECT_THAT(summary_text(std::vector{results[0]}, "csr-omp"), IsEmpty());
    for (Result& r : results) r.id.operator_name = "csr-omp";  // alone, so that it is always its own baseline
    EXPECT_THAT(summary_text(results, "csr-omp"), IsEmpty());
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

TEST(BenchCsv, HeaderAndRowsHaveTheSameCells) {
    const auto lines =
        lines_of(results_csv(std::vector{sample_result("a", {1, 1}), result_of(Status::wrong, "bad")}, kBaselines));
    ASSERT_EQ(lines.size(), 3u);
    const auto commas = std::ranges::count(lines[0], ',');
    for (const auto& line : lines) EXPECT_EQ(std::ranges::count(line, ','), commas) << line;
    EXPECT_THAT(lines[0], EndsWith(",preprocess_products,speedup_over_csr-omp,fastest_csr-omp"));
    EXPECT_THAT(lines[1], AllOf(HasSubstr(R"("a","tile-omp","bytes",float64,float64,"cpu",2,ok,"")"),
                                HasSubstr(R"(,"coo:2:7 deferred:0:3","coo:7;deferred:3",100,)"),
                                EndsWith(R"(,8,8,1.5,"csr-omp")")));
    EXPECT_THAT(lines[2],
                AllOf(HasSubstr(R"(WRONG,"bad")"),
                      EndsWith(R"(,0.5,,"coo:2:7 deferred:0:3","coo:7;deferred:3",100,128,172,,,,,,,,,,,,,,,,,,,)")));
}

TEST(BenchCsv, QuotesAreDoubled) {
    EXPECT_THAT(results_csv(std::vector{result_of(Status::failed, R"(a "b", c)")}, {}),
                HasSubstr(R"(failed,"a ""b"", c")"));
}

ExitCode exit_code(const std::vector<Result>& results) {
    try {
        require_right(results);
    } catch (const Error& error) {
        return error.code();
    }
    return ExitCode::ok;
}

TEST(RequireRight, WrongOutweighsFailed) {
    const Result right = sample_result("a", {1}), failed = result_of(Status::failed, "f"),
                 wrong = result_of(Status::wrong, "w"), skipped = result_of(Status::skipped, "s");
    EXPECT_EQ(exit_code({right}), ExitCode::ok);
    EXPECT_EQ(exit_code({right, skipped}), ExitCode::ok);
    EXPECT_EQ(exit_code({right, failed}), ExitCode::failure);
    EXPECT_EQ(exit_code({failed, wrong, right}), ExitCode::verification);
}

TEST(ComparisonText, GivesSpeedupIntervalAndVerdict) {
    bench::ResultSet first, second;
    first.put(sample_result("a", std::vector<double>(8, 3.0)));
    first.put(sample_result("b", {1}));
    second.put(sample_result("a", std::vector<double>(8, 1.5)));
    const auto lines = lines_of(comparison_text(bench::compare({first}, {second}, {}), {}));
    ASSERT_EQ(lines.size(), 5u);
    EXPECT_THAT(lines[1], AllOf(testing::StartsWith("a "), HasSubstr("2.000x  2.000 to 2.000"), EndsWith("faster")));
    EXPECT_THAT(lines[2], AllOf(testing::StartsWith("b "), EndsWith("only in the first")));
    EXPECT_THAT(lines[3],
                testing::StartsWith("interval: 95% confidence, by the noise within two runs alone; how much"));
    EXPECT_EQ(lines[4], "1 faster, 0 slower, 0 same, 0 unclear, 1 not compared");
}

}  // namespace
}  // namespace tilespmv::tools
