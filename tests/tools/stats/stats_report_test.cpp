#include "tools/stats/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::matrix_of;
using ::testing::Not;
using Json = nlohmann::ordered_json;

StatsReport one_report_of(const CsrMatrix<double>& a, const std::vector<std::string>& selectors) {
    StatsReport report{"sample", "float64", matrix_statistics(a), {}};
    for (const auto& selector : selectors) {
        const auto tiles = convert(a, *make_policy(selector));
        report.selectors.push_back({selector, tiled_statistics(tiles, formats::format_table())});
    }
    return report;
}

std::vector<StatsReport> report_of(const CsrMatrix<double>& a, const std::vector<std::string>& selectors) {
    return {one_report_of(a, selectors)};
}

/// 32 x 48: a dense tile, two tiles with one nonzero, one with a full row.
CsrMatrix<double> sample() {
    std::set<std::pair<index_t, index_t>> positions{{0, 20}, {20, 20}};
    for (index_t i = 0; i < 256; ++i) positions.emplace(i / 16, 32 + i % 16);
    for (index_t c = 0; c < 16; ++c) positions.emplace(30, c);
    return matrix_of(32, 48, positions);
}

std::vector<std::string> keys(const Json& object) {
    std::vector<std::string> names;
    for (const auto& [key, value] : object.items()) names.push_back(key);
    return names;
}

TEST(StatsJson, KeysAreStable) {
    const Json json = to_json(report_of(sample(), {"paper", "bytes"}));
    EXPECT_THAT(keys(json), ElementsAre("matrix", "value_type", "rows", "cols", "nnz", "row_length", "tile_grid",
                                        "tile_rows", "storage", "selectors"));
    EXPECT_THAT(keys(json["row_length"]), ElementsAre("mean", "max", "variation", "empty_rows"));
    EXPECT_THAT(keys(json["tile_grid"]),
                ElementsAre("tiles", "possible", "share", "nnz_mean", "nnz_median", "nnz_max", "nnz_histogram"));
    EXPECT_THAT(keys(json["tile_grid"]["nnz_histogram"]),
                ElementsAre("1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128", "129-255", "256"));
    EXPECT_THAT(keys(json["tile_rows"]),
                ElementsAre("nonempty", "nnz_mean", "nnz_max", "max_over_mean", "variation", "heaviest_percent_share"));
    EXPECT_THAT(keys(json["storage"]), ElementsAre("csr", "coo", "ell", "bsr"));
    EXPECT_THAT(keys(json["storage"]["bsr"]), ElementsAre("bytes", "bytes_per_nnz", "block_size", "blocks"));
    ASSERT_EQ(json["selectors"].size(), 2);
    EXPECT_THAT(keys(json["selectors"][0]),
                ElementsAre("selector", "tiles", "formats", "level1_bytes", "index_bytes", "value_bytes", "deferred",
                            "bytes", "bytes_per_nnz", "bytes_over_csr", "published_layout"));
    EXPECT_THAT(keys(json["selectors"][0]["published_layout"]),
                ElementsAre("level1_bytes", "index_bytes", "value_bytes", "deferred_bytes", "bytes", "bytes_per_nnz",
                            "bytes_over_csr"));
    EXPECT_THAT(keys(json["selectors"][0]["deferred"]), ElementsAre("tiles", "nnz", "nnz_share", "rows", "bytes"));
    EXPECT_EQ(json["selectors"][0]["formats"].size(), formats::format_table().size());
    EXPECT_THAT(keys(json["selectors"][0]["formats"]["hyb"]),
                ElementsAre("tiles", "tiles_share", "nnz", "nnz_share", "padding", "value_bytes", "index_bytes",
                            "mask_bytes", "level1_bytes", "bytes", "bytes_share", "published_bytes"));
}

TEST(StatsJson, HoldsTheNumbers) {
    const Json json = to_json(report_of(sample(), {"paper", "paper-deferred"}));
    EXPECT_EQ(json["matrix"], "sample");
    EXPECT_EQ(json["nnz"], 274);
    EXPECT_EQ(json["tile_grid"]["tiles"], 4);
    EXPECT_EQ(json["tile_grid"]["possible"], 6);
    EXPECT_EQ(json["tile_grid"]["nnz_histogram"]["1"], 2);
    EXPECT_EQ(json["tile_grid"]["nnz_histogram"]["256"], 1);
    EXPECT_EQ(json["storage"]["csr"]["bytes"], 33 * 4 + 274 * 12);
    const Json& paper = json["selectors"][0];
    EXPECT_EQ(paper["formats"]["dense"]["nnz"], 256);
    EXPECT_EQ(paper["formats"]["coo"]["tiles_share"], 0.5);
    EXPECT_EQ(paper["formats"]["dense_row"]["bytes"], 16 * 8 + 1 + 8);
    EXPECT_EQ(paper["formats"]["dense_row"]["published_bytes"], 16 * 8 + 1 + 15);
    EXPECT_EQ(paper["published_layout"]["bytes"], 274 * 8 + 1 + 2 + 4 * 15 + 3 * 4);
    const Json& deferred = json["selectors"][1]["deferred"];
    EXPECT_EQ(deferred["tiles"], 2);
    EXPECT_EQ(deferred["nnz"], 2);
    EXPECT_EQ(deferred["rows"], 2);
}

TEST(StatsJson, MatrixWithoutNonzerosHasNoGaps) {
    for (const auto& [rows, cols] : {std::pair{0, 0}, std::pair{0, 5}, std::pair{5, 0}, std::pair{40, 40}}) {
        const auto report = report_of(matrix_of(rows, cols, {}), {"bytes", "paper-deferred"});
        EXPECT_THAT(to_json(report).dump(), Not(HasSubstr("null")));
        EXPECT_THAT(to_text(report), Not(HasSubstr("nan")));
    }
}

/// Splits a line of CSV without newlines in its fields.
std::vector<std::string> split_csv(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) {
            fields.emplace_back();
        } else {
            fields.back() += c;
        }
    }
    return fields;
}

TEST(StatsCsv, HasARowPerSelector) {
    const auto report = report_of(sample(), {"paper:dense=0.5,coo=3", "only:csr"});
    std::istringstream stream(to_csv(report));
    std::vector<std::vector<std::string>> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(split_csv(line));
    ASSERT_EQ(lines.size(), 3);
    const auto& columns = lines[0];
    EXPECT_EQ(std::set(columns.begin(), columns.end()).size(), columns.size());
    const auto cell = [&](std::size_t row, const std::string& column) {
        const auto at = std::find(columns.begin(), columns.end(), column) - columns.begin();
        return lines[row].at(static_cast<std::size_t>(at));
    };
    EXPECT_EQ(lines[1].size(), columns.size());
    EXPECT_EQ(lines[2].size(), columns.size());
    EXPECT_EQ(cell(1, "matrix"), "sample");
    EXPECT_EQ(cell(1, "selector"), "\"paper:dense=0.5,coo=3\"");
    EXPECT_EQ(cell(2, "selector"), "only:csr");
    EXPECT_EQ(cell(1, "tile_grid.nnz_histogram.256"), "1");
    EXPECT_EQ(cell(1, "formats.dense.tiles"), "1");
    EXPECT_EQ(cell(2, "formats.csr.tiles"), "4");
    EXPECT_EQ(cell(2, "bytes"), to_json(report)["selectors"][1]["bytes"].dump());
}

TEST(StatsCsv, DoublesQuotes) {
    auto report = report_of(sample(), {"bytes"});
    report[0].name = "a \"b\", c";
    EXPECT_THAT(to_csv(report), HasSubstr("\n\"a \"\"b\"\", c\",float64,32,48,274,"));
    report[0].name = "\"b\"";
    EXPECT_THAT(to_csv(report), HasSubstr("\n\"\"\"b\"\"\",float64,"));
}

TEST(StatsText, AFewTilesAmongManyAreSeen) {
    std::set<std::pair<index_t, index_t>> positions{{0, 1000}};
    for (index_t i = 0; i < 101 * 16; ++i) positions.emplace(i, i);
    const auto text = to_text(report_of(matrix_of(101 * 16, 101 * 16, positions), {"paper"}));
    EXPECT_THAT(text, ::testing::ContainsRegex("\n1 +1 +1\\.0%  #\n"));
}

TEST(StatsText, OneSelectorInDetail) {
    const std::string text = to_text(report_of(sample(), {"paper"}));
    EXPECT_THAT(text, HasSubstr("sample: 32 x 48, 274 nonzeros, float64\n"));
    EXPECT_THAT(text, HasSubstr("4 of 6 hold nonzeros (66.7%)"));
    EXPECT_THAT(text,
                HasSubstr("per tile row: mean 137, max 257 (1.88 x), variation 0.88; the heaviest 1% hold 93.8%"));
    EXPECT_THAT(text, HasSubstr("Selector: paper\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\ndense +1 +25.0% +256 +93.4% +2.06 kB"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\n1 +2 +50.0%  #{40}\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nBSR 2 x 2 +2.73 kB +9.97 +0.80 x"));
}

TEST(StatsText, SeveralSelectorsSideBySide) {
    const std::string text = to_text(report_of(sample(), {"paper", "paper-deferred"}));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nSelector +paper +paper-deferred\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nTiles +4 +2\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\n  deferred +- +50.0%\n"));
    EXPECT_THAT(text, HasSubstr("\ntiled, paper-deferred"));
}

TEST(StatsText, SaysWhatThePublishedLayoutTakes) {
    const std::string text = to_text(report_of(sample(), {"paper-deferred"}));
    EXPECT_THAT(text, HasSubstr("padding  as published\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\ntile rows .* 12 B\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\ndeferred .* 156 B\n")) << "33 pointers and two nonzeros";
    EXPECT_THAT(text, ::testing::ContainsRegex("\n  as published +2\\.38 kB +8\\.67"));
}

/// The sample, a matrix that could not be read, and one without nonzeros.
std::vector<StatsReport> several(const std::vector<std::string>& selectors) {
    auto empty = one_report_of(matrix_of(5, 4, {}), selectors);
    empty.name = "empty";
    return {one_report_of(sample(), selectors), {"broken", {}, {}, {}, "broken.mtx: cannot be read"}, empty};
}

TEST(StatsText, SeveralMatricesAreRowsOfATable) {
    const std::string text = to_text(several({"paper"}));
    EXPECT_THAT(text, ::testing::StartsWith("selector: paper\nvalues: float64\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nMatrix +rows +nonzeros +tiles +dense +coo .*as published\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nsample +32 +274 +4 +25 / 93 +50 / 1 +- +- +- +25 / 6( +-)+ +0\\.6"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nempty +5 +0 +0 +- .*\n"));
    EXPECT_THAT(text, ::testing::EndsWith("\nfailed: broken: broken.mtx: cannot be read\n"));
    EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(StatsText, SeveralMatricesAndSelectorsAreRowsOfATable) {
    auto reports = several({"paper", "paper-deferred"});
    reports[2].value_type = "float32";
    const std::string text = to_text(reports);
    EXPECT_THAT(text, ::testing::ContainsRegex("\nMatrix +selector +values +rows "));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nsample +paper-deferred +float64 +32 .* 50 / 1 +0\\."));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nempty +paper +float32 +5 "));
}

TEST(StatsText, OnlyMatricesThatFailedAreNoTable) {
    const std::vector<StatsReport> failed(2, {"broken", {}, {}, {}, "gone"});
    EXPECT_EQ(to_text(failed), "failed: broken: gone\nfailed: broken: gone\n");
    EXPECT_EQ(to_csv(failed), "matrix,error\nbroken,gone\nbroken,gone\n");
}

TEST(StatsJson, SeveralMatricesAreAnArrayOfWhatEachIsAlone) {
    const auto reports = several({"paper", "bytes"});
    const Json json = to_json(reports);
    ASSERT_EQ(json.size(), 3);
    EXPECT_EQ(json[0], to_json(std::span(reports).first(1)));
    EXPECT_EQ(json[1], Json({{"matrix", "broken"}, {"error", "broken.mtx: cannot be read"}}));
    EXPECT_EQ(json[2], to_json(std::span(reports).last(1)));
}

TEST(StatsCsv, HasARowPerMatrixAndSelectorAndOneForAMatrixThatFailed) {
    std::istringstream stream(to_csv(several({"paper", "bytes"})));
    std::vector<std::vector<std::string>> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(split_csv(line));
    ASSERT_EQ(lines.size(), 1 + 2 + 1 + 2);
    for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
    EXPECT_EQ(lines[0].back(), "error");
    EXPECT_EQ(lines[2].front(), "sample");
    EXPECT_EQ(lines[2].back(), "");
    EXPECT_EQ(lines[3].front(), "broken");
    EXPECT_EQ(lines[3].back(), "broken.mtx: cannot be read");
}

}  // namespace
}  // namespace tilespmv::tools
