// Numbers as people read them, at every border where their form changes.
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "tests/bench/sample_results.hpp"
#include "tools/bench/report.hpp"
#include "tools/stats/report.hpp"
#include "tools/text/executed_text.hpp"
#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class Number>
struct Row {
    Number number;
    const char* text;
};

TEST(NumberTable, Grouped) {
    for (const auto& [number, text] : {Row<std::int64_t>{0, "0"},
                                       {9, "9"},
                                       {99, "99"},
                                       {999, "999"},
                                       {1'000, "1,000"},
                                       {9'999, "9,999"},
                                       {10'000, "10,000"},
                                       {999'999, "999,999"},
                                       {1'000'000, "1,000,000"},
                                       {-1, "-1"},
                                       {-999, "-999"},
                                       {-1'000, "-1,000"},
                                       {-999'999, "-999,999"},
                                       {-1'000'000, "-1,000,000"},
                                       {-kLargest - 1, "-9,223,372,036,854,775,808"}}) {
        EXPECT_EQ(grouped(number), text);
    }
}

TEST(NumberTable, ByteSize) {
    for (const auto& [number, text] : {Row<std::int64_t>{0, "0 B"},
                                       {1, "1 B"},
                                       {999, "999 B"},
                                       {1'000, "1.00 kB"},
                                       {1'004, "1.00 kB"},
                                       {1'006, "1.01 kB"},
                                       {9'994, "9.99 kB"},
                                       {9'995, "10.0 kB"},
                                       {9'999, "10.0 kB"},
                                       {10'000, "10.0 kB"},
                                       {10'040, "10.0 kB"},
                                       {10'060, "10.1 kB"},
                                       {99'940, "99.9 kB"},
                                       {99'949, "99.9 kB"},
                                       {99'950, "100 kB"},
                                       {99'970, "100 kB"},
                                       {100'000, "100 kB"},
                                       {100'400, "100 kB"},
                                       {100'600, "101 kB"},
                                       {999'400, "999 kB"},
                                       {999'499, "999 kB"},
                                       {999'500, "1.00 MB"},
                                       {1'000'000, "1.00 MB"},
                                       {999'499'999, "999 MB"},
                                       {999'500'000, "1.00 GB"},
                                       {999'499'999'999, "999 GB"},
                                       {999'500'000'000, "1.00 TB"},
                                       {999'500'000'000'000, "1.00 PB"},
                                       {999'500'000'000'000'000, "1.00 EB"},
                                       {kLargest, "9.22 EB"}}) {
        EXPECT_EQ(byte_size(number), text) << number;
    }
}

TEST(NumberTable, Percent) {
    for (const auto& [number, text] : {Row<double>{0, "0.0%"},
                                       {1e-300, "<0.0001%"},
                                       {0.99e-6, "<0.0001%"},
                                       {1.01e-6, "0.0001%"},
                                       {1.26e-6, "0.00013%"},
                                       {0.000125, "0.013%"},
                                       {0.000949, "0.095%"},
                                       {0.000951, "0.1%"},
                                       {0.001, "0.1%"},
                                       {0.00149, "0.1%"},
                                       {0.00151, "0.2%"},
                                       {0.0625, "6.2%"},
                                       {0.0949, "9.5%"},
                                       {0.9994, "99.9%"},
                                       {0.9996, "100.0%"},
                                       {1, "100.0%"},
                                       {12.5, "1250.0%"}}) {
        EXPECT_EQ(percent(number), text) << number;
    }
}

/// Parts of `nnz` and of what is missing to `all`.
std::string parts_text(offset_t nnz, offset_t all) {
    return executed_text(std::vector<ExecutedPart>{{"csr", "", 1, nnz, 1}, {"coo", "", 1, all - nnz, 1}}, 1);
}

TEST(NumberTable, ExecutedShares) {
    for (const auto& [number, text] : {Row<offset_t>{5'000, "csr 50%, 1 more"},
                                       {5'049, "csr 50%, 1 more"},
                                       {5'051, "csr 51%, 1 more"},
                                       {9'949, "csr 99%, 1 more"},
                                       {9'950, "csr >99%, 1 more"},
                                       {9'999, "csr >99%, 1 more"},
                                       {10'000, "csr 100%, 1 more"}}) {
        EXPECT_EQ(parts_text(number, 10'000), text) << number;
    }
    const std::vector<ExecutedPart> small{{"csr", "", 1, 9'951, 1}, {"coo", "", 1, 49, 1}};
    EXPECT_EQ(executed_text(small, 2), "csr >99%, coo <1%");
    const std::vector<ExecutedPart> half{{"csr", "", 1, 9'950, 1}, {"coo", "", 1, 50, 1}};
    EXPECT_EQ(executed_text(half, 2), "csr >99%, coo <1%");
    const std::vector<ExecutedPart> more{{"csr", "", 1, 9'949, 1}, {"coo", "", 1, 51, 1}};
    EXPECT_EQ(executed_text(more, 2), "csr 99%, coo 1%");
}

/// The cells of the one row of a table.
std::vector<std::string> cells(bench::Result r) {
    const std::string text = results_text(std::vector{std::move(r)}, {"csr-omp"});
    const auto row = text.substr(text.find("\ntile-omp") + 1);
    std::vector<std::string> all;
    for (std::size_t at = 0; at < row.size();) {
        const auto end = std::min(row.find("  ", at), row.find('\n', at));
        all.push_back(row.substr(at, end - at));
        at = row.find_first_not_of(" \n", end);
    }
    return all;
}

TEST(NumberTable, Milliseconds) {
    for (const auto& [number, text] : {Row<double>{1e-9, "1e-06"},
                                       {1.2345e-6, "0.001234"},
                                       {1.2346e-6, "0.001235"},
                                       {0.00099996, "1"},
                                       {0.0012344, "1.234"},
                                       {0.99994, "999.9"},
                                       {0.99996, "1000"},
                                       {12.346, "1.235e+04"}}) {
        EXPECT_EQ(cells(bench::sample_result("a", {number})).at(3), text) << number;
    }
}

TEST(NumberTable, SpeedupsAndProducts) {
    auto r = bench::sample_result("a", {1});
    for (const auto& [number, text] :
         {Row<double>{0.004, "0.00x"}, {0.996, "1.00x"}, {1.125, "1.12x"}, {9.996, "10.00x"}, {1234.5, "1234.50x"}}) {
        r.speedups[0] = {.baseline = "csr-omp", .against = "csr-omp", .median = number, .low = number, .high = number};
        EXPECT_EQ(cells(r).at(9), text) << number;
    }
    r.preprocess_products = 0;
    EXPECT_EQ(cells(r).at(11), "-");
    r.preprocess_products = 0.04;
    EXPECT_EQ(cells(r).at(11), "0.0");
}

/// A speed-up is sure if its interval is no wider than a tenth of it.
TEST(NumberTable, SpeedupsThatAreNotSureAreMarked) {
    auto r = bench::sample_result("a", {1});
    r.speedups[0] = {.baseline = "csr-omp", .against = "csr-omp", .median = 10, .low = 9.5, .high = 10.5};
    EXPECT_EQ(cells(r).at(9), "10.00x");
    r.speedups[0].high = 10.51;
    EXPECT_EQ(cells(r).at(9), "10.00x~");
    r.speedups[0].high = kNan;
    EXPECT_EQ(cells(r).at(9), "10.00x~");
}

std::string mean_in_text(double mean) {
    StatsReport report{"a", "float64", {}, {{"bytes", {}}}};
    report.matrix.row_length.mean = mean;
    const std::string text = to_text(std::vector{report});
    const auto begin = text.find("mean ") + 5;
    return text.substr(begin, text.find(", max") - begin);
}

TEST(NumberTable, Means) {
    for (const auto& [number, text] : {Row<double>{0, "0"},
                                       {0.00012345, "0.0001234"},
                                       {1, "1"},
                                       {9.9994, "9.999"},
                                       {9.9996, "10"},
                                       {999.4, "999.4"},
                                       {999.49, "999.5"},
                                       {999.5, "1,000"},
                                       {1'000.4, "1,000"},
                                       {1'000.5, "1,001"},
                                       {1'234'567.8, "1,234,568"}}) {
        EXPECT_EQ(mean_in_text(number), text) << number;
    }
}

/// Of a table of matrices: the shares of the tiles and of the nonzeros in one format, of a thousand.
std::string shares_in_table(offset_t tiles, offset_t nnz) {
    StatsReport report{"a", "float64", {}, {{"bytes", {}}}};
    report.matrix.nnz = report.matrix.grid.tiles = 1000;
    auto& tiled = report.selectors[0].tiled;
    tiled.formats = {{.name = "coo", .tiles = tiles, .nnz = nnz}};
    tiled.tiles = 1000;
    const std::string text = to_text(std::vector{report, report});
    const auto row = text.substr(text.find("\na ") + 1);
    const auto begin = row.find("1,000  1,000") + 12;
    const auto found = row.substr(begin, row.find("         -", begin) - begin);
    return found.substr(found.find_first_not_of(' '));
}

TEST(NumberTable, SharesInATableOfMatrices) {
    for (const auto& [number, text] : {Row<offset_t>{1, "<1 / <1"},
                                       {4, "<1 / <1"},
                                       {5, "1 / 1"},
                                       {14, "1 / 1"},
                                       {15, "2 / 2"},
                                       {994, "99 / 99"},
                                       {995, ">99 / >99"},
                                       {999, ">99 / >99"},
                                       {1000, "100 / 100"}}) {
        EXPECT_EQ(shares_in_table(number, number), text) << number;
    }
    EXPECT_EQ(shares_in_table(0, 10), "0 / 1");
}

}  // namespace
}  // namespace tilespmv::tools
