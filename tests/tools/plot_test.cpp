// What is drawn from results, and how.
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/sample_results.hpp"
#include "tools/picture/svg.hpp"
#include "tools/plot/axis.hpp"
#include "tools/plot/draw.hpp"
#include "tools/plot/plots.hpp"
#include "tools/plot/sweeps.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using bench::ResultSet;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> labels(const Axis& axis) {
    std::vector<std::string> all;
    for (const auto& tick : axis.ticks()) {
        if (!tick.label.empty()) all.push_back(tick.label);
    }
    return all;
}

TEST(Axis, PlacesNumbersBetweenItsEnds) {
    Axis axis(Scale::logarithmic, 1, 100, "");
    axis.place(10, 210);
    EXPECT_DOUBLE_EQ(axis.pixel(1), 10);
    EXPECT_DOUBLE_EQ(axis.pixel(10), 110);
    EXPECT_DOUBLE_EQ(axis.pixel(100), 210);
    Axis down(Scale::linear, 0, 10, "");
    down.place(100, 0);
    EXPECT_DOUBLE_EQ(down.pixel(2.5), 75);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Axis, HasAPlaceForEveryNumber) {
    const std::vector<double> numbers{
        -kInfinity, -1e308,      -1,   0,     5e-324,  1e-310,    1e-300,
        1,          1.0 + 1e-15, 1e17, 1e300, 1.7e308, kInfinity, std::numeric_limits<double>::quiet_NaN()};
    for (const Scale scale : {Scale::linear, Scale::logarithmic}) {
        for (const double low : numbers) {
            for (const double high : numbers) {
                Axis axis(scale, low, high, "");
                axis.place(0, 100);
                EXPECT_GE(axis.ticks().size(), 2u);
                EXPECT_LE(axis.ticks().size(), 64u) << low << " to " << high;
                EXPECT_LT(axis.low(), axis.high());
                for (const double number : numbers) EXPECT_TRUE(std::isfinite(axis.pixel(number))) << number;
            }
        }
    }
}

TEST(Axis, NamesSomeOfVeryManyPowers) {
    const auto named = labels(Axis(Scale::logarithmic, 1e-290, 1e290, ""));
    EXPECT_GE(named.size(), 6u);
    EXPECT_LE(named.size(), 13u);
}

TEST(Axis, ShortNumbers) {
    EXPECT_EQ(short_number(1234), "1.23k");
    EXPECT_EQ(short_number(2e6), "2M");
    EXPECT_EQ(short_number(5e9), "5G");
    EXPECT_EQ(short_number(0.05), "0.05");
    EXPECT_EQ(short_number(0), "0");
}

TEST(Sweeps, NonzerosARowAreWholeFromAHundredOn) {
    const auto text = [](double per_row) {
        ThreadSweep sweep;
        sweep.nonzeros_per_row = per_row;
        return nonzeros_a_row(sweep);
    };
    EXPECT_EQ(text(4.217), "4.22 nonzeros a row");
    EXPECT_EQ(text(99.49), "99.5 nonzeros a row");
    EXPECT_EQ(text(99.5), "100 nonzeros a row");
    EXPECT_EQ(text(2048), "2,048 nonzeros a row");
}

/// What a sweep is drawn of: right products.
TEST(Sweeps, HoldWhatWasRight) {
    ResultSet set;
    const auto put = [&](const std::string& name, bench::Status status = bench::Status::ok) {
        set.results.push_back(bench::sample_result("a.mtx", {1, 1, 1}));
        set.results.back().id.operator_name = name;
        set.results.back().status = status;
    };
    put("csr-vector:threads=2");
    put("csr-vector:threads=4");
    put("csr-vector:threads=8", bench::Status::failed);
    put("csr-scalar", bench::Status::wrong);
    ASSERT_EQ(thread_sweeps(set).size(), 1u);
    EXPECT_EQ(thread_sweeps(set)[0].seconds.size(), 2u);
    EXPECT_EQ(thread_sweeps(set)[0].scalar, 0);
}

TEST(Plots, FileNamesHoldNoSpecialCharacters) {
    EXPECT_EQ(file_name_of("paper-deferred:defer=3"), "paper-deferred_defer_3");
    EXPECT_EQ(file_name_of("../a b"), ".._a_b");
}

ResultSet sample_set() {
    ResultSet set;
    set.machine.cpu = "Some CPU";
    for (const auto* matrix : {"a.mtx", "folder/b.mtx.gz"})
        set.results.push_back(bench::sample_result(matrix, {1, 2, 3}));
    Result csr = bench::sample_result("a.mtx", {2, 2, 2});
    csr.id.operator_name = "csr-omp";
    csr.id.selector = "";
    csr.stored = {};
    csr.executed = {{"csr", "", 1, 10, 100}};
    set.results.push_back(csr);
    Result wrong = bench::sample_result("c.mtx", {});
    wrong.status = bench::Status::wrong;
    set.results.push_back(wrong);
    return set;
}

TEST(Plots, OfManySeriesTheBestAreShownAndTheNoteSaysHowMany) {
    ResultSet set;
    for (std::size_t i = 0; i < kMostSeries + 3; ++i) {
        set.results.push_back(bench::sample_result("a.mtx", {1, 2, 3}));
        set.results.back().id.selector = fmt::format("s{:02}", i);
        set.results.back().speedups[0].median = 1 + static_cast<double>(i);
    }
    const auto speedup = make_plots(set, "").front();
    EXPECT_EQ(speedup.note, "shows the 12 best of 15 series");
    EXPECT_THAT(svg(*speedup.picture), Not(HasSubstr("tile-omp s02")));
    EXPECT_THAT(svg(*speedup.picture), HasSubstr("tile-omp s03"));
    EXPECT_THAT(svg(*speedup.picture), HasSubstr("tile-omp s14"));
    set.results.resize(kMostSeries);
    EXPECT_EQ(make_plots(set, "").front().note, "");
}

TEST(Plots, ShowWhatAMatrixExecutedOnceWhateverTheThreads) {
    auto set = sample_set();
    Result other = bench::sample_result("a.mtx", {1, 1, 1});
    other.id.threads = 1;
    other.executed = {{"tiles", "ell", 1, 10, 100}};
    set.results.push_back(other);
    const std::string drawn = svg(*make_plots(set, "").back().picture);
    EXPECT_THAT(drawn, HasSubstr("a, deferred: 30.0%"));
    EXPECT_THAT(drawn, Not(HasSubstr("a, ell")));
}

TEST(Plots, AreDrawnOfAnyTimesAndBandwidths) {
    for (const double seconds : {5e-324, 1e-310, 1e308}) {
        for (const double bandwidth : {0.0, 5e-324, 1.7e308}) {
            auto set = sample_set();
            for (const char* name : {"csr-vector:threads=2", "csr-vector:threads=4"}) {
                set.results.push_back(bench::sample_result("a.mtx", {1e-5, 1e-5, 1e-5}));
                set.results.back().id.operator_name = name;
            }
            for (std::size_t i = 0; i < set.results.size(); i += 2) {
                auto& r = set.results[i];
                r.warm.seconds.assign(r.warm.seconds.size(), seconds);
                r.bandwidth.read = bandwidth;
                for (auto& speedup : r.speedups) speedup.median = seconds;
            }
            for (const auto& plot : make_plots(set, "")) {
                if (!plot.picture) continue;
                EXPECT_THAT(svg(*plot.picture), Not(ContainsRegex("=\"[^\"]*(nan|inf)"))) << plot.name;
            }
        }
    }
}

TEST(Series, LeaveOutWhatHasNoPlaceOnAnAxis) {
    auto set = sample_set();
    ASSERT_EQ(speedups_by_nonzeros(set, "csr-omp").size(), 1u);
    set.results[0].nnz = 0;
    set.results[1].speedups[0].median = 0;
    EXPECT_TRUE(speedups_by_nonzeros(set, "csr-omp").empty());
}

TEST(Series, ValueTypesTellSeriesApartWhereThereAreSeveral) {
    auto set = sample_set();
    Result single = set.results[0];
    single.id.values = "float32";
    set.results.push_back(single);
    std::vector<std::string> names;
    for (const auto& s : speedups_by_nonzeros(set, "csr-omp")) names.push_back(s.name);
    EXPECT_THAT(names, ElementsAre("tile-omp bytes float64", "tile-omp bytes float32"));
}

TEST(Series, EvenRowsStandAtTheLeastVariation) {
    auto set = sample_set();
    set.results[0].row_variation = 0;
    const auto series = speedups_by_variation(set, "csr-omp");
    EXPECT_EQ(series.at(0).points.at(0).x, kLeastVariation);
    EXPECT_EQ(series.at(0).points.at(1).x, 0.5);
}

TEST(Series, TheLargestAreKeptInTheirOrder) {
    std::vector<Series> series;
    for (const double y : {1.0, 4.0, 2.0, 3.0})
        series.push_back({std::to_string(static_cast<int>(y)), {{1, y, false, ""}}});
    std::vector<std::string> names;
    for (const auto& s : largest(series, 2)) names.push_back(s.name);
    EXPECT_THAT(names, ElementsAre("4", "3"));
}

TEST(Series, OfEquallyLargeOnesTheFirstAreKept) {
    std::vector<Series> series;
    for (const auto& [name, y] : {std::pair{"a", 2.0}, {"b", 4.0}, {"c", 2.0}, {"d", 3.0}, {"e", 2.0}})
        series.push_back({name, {{1, y, false, ""}}});
    const auto kept = [&](std::size_t count) {
        std::string names;
        for (const auto& s : largest(series, count)) names += s.name;
        return names;
    };
    EXPECT_EQ(kept(2), "bd");
    EXPECT_EQ(kept(3), "abd");
    EXPECT_EQ(kept(4), "abcd");
    EXPECT_EQ(kept(5), "abcde");
}

}  // namespace
}  // namespace tilespmv::tools
