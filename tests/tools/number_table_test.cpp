// Numbers as people read them, at every border where their form changes.
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/bench/sample_results.hpp"
#include "tests/tools/golden.hpp"
#include "tools/bench/report.hpp"
#include "tools/stats/report.hpp"
#include "tools/text/executed_text.hpp"
#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Numbers and their texts, as they stand in golden/numbers.txt.
class NumberTable : public ::testing::Test {
protected:
    template <class Number, class Text>
    void add(const char* what, const std::vector<Number>& numbers, Text&& text) {
        for (const Number number : numbers) lines_ += fmt::format("{} {}: {}\n", what, number, text(number));
    }

    std::string lines_;
};

/// Parts of `nnz` of 10,000 and of the others, as many of them as `most`.
std::string parts_text(offset_t nnz, std::size_t most) {
    return executed_text(std::vector<ExecutedPart>{{"csr", "", 1, nnz, 1}, {"coo", "", 1, 10'000 - nnz, 1}}, most);
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

/// A speed-up is sure if its interval is no wider than a tenth of it.
TEST(Speedups, ThatAreNotSureAreMarked) {
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

TEST_F(NumberTable, OfEveryKind) {
    add<std::int64_t>("grouped",
                      {0, 9, 99, 999, 1'000, 9'999, 10'000, 999'999, 1'000'000, -1, -999, -1'000, -999'999, -1'000'000,
                       -kLargest - 1},
                      grouped);
    add<std::int64_t>("bytes",
                      {0,
                       1,
                       999,
                       1'000,
                       1'004,
                       1'006,
                       9'994,
                       9'995,
                       9'999,
                       10'000,
                       10'040,
                       10'060,
                       99'940,
                       99'949,
                       99'950,
                       99'970,
                       100'000,
                       100'400,
                       100'600,
                       999'400,
                       999'499,
                       999'500,
                       1'000'000,
                       999'499'999,
                       999'500'000,
                       999'499'999'999,
                       999'500'000'000,
                       999'500'000'000'000,
                       999'500'000'000'000'000,
                       kLargest},
                      byte_size);
    add<double>("percent",
                {0, 1e-300, 0.99e-6, 1.01e-6, 1.26e-6, 0.000125, 0.000949, 0.000951, 0.001, 0.00149, 0.00151, 0.0625,
                 0.0949, 0.9994, 0.9996, 1, 12.5},
                percent);
    add<offset_t>("executed, of 10000", {5'000, 5'049, 5'051, 9'949, 9'950, 9'951, 9'999, 10'000},
                  [](offset_t nnz) { return parts_text(nnz, 1) + "; " + parts_text(nnz, 2); });
    add<double>("seconds as ms", {1e-9, 1.2345e-6, 1.2346e-6, 0.00099996, 0.0012344, 0.99994, 0.99996, 12.346},
                [](double seconds) { return cells(bench::sample_result("a", {seconds})).at(3); });
    auto r = bench::sample_result("a", {1});
    add<double>("speed-up", {0.004, 0.996, 1.125, 9.996, 1234.5}, [&](double x) {
        r.speedups[0] = {.baseline = "csr-omp", .against = "csr-omp", .median = x, .low = x, .high = x};
        return cells(r).at(9);
    });
    add<double>("preprocessing in products", {0, 0.04}, [&](double products) {
        r.preprocess_products = products;
        return cells(r).at(11);
    });
    add<double>("mean", {0, 0.00012345, 1, 9.9994, 9.9996, 999.4, 999.49, 999.5, 1'000.4, 1'000.5, 1'234'567.8},
                mean_in_text);
    add<offset_t>("share of 1000", {1, 4, 5, 14, 15, 994, 995, 999, 1000},
                  [](offset_t n) { return shares_in_table(n, n); });
    add<offset_t>("share of none and", {10}, [](offset_t n) { return shares_in_table(0, n); });
    test::expect_golden("numbers.txt", lines_);
}

}  // namespace
}  // namespace tilespmv::tools
