// Whole tables and pictures of the paper.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/golden.hpp"
#include "tests/tools/golden_paper_results.hpp"
#include "tests/tools/transcript.hpp"
#include "tools/paper/plots.hpp"
#include "tools/paper/report.hpp"
#include "tools/paper/speedups.hpp"
#include "tools/picture/svg.hpp"

namespace tilespmv::tools {
namespace {

using test::expect_golden;
using ::testing::HasSubstr;

TEST(GoldenPaper, Tables) {
    const auto set = test::golden_paper_results(5);
    const PaperResults results(set, {});
    expect_golden("paper_tables.md", paper_text(results));
    expect_golden("paper_tables.csv", paper_csv(results));
}

TEST(GoldenPaper, TablesOfACpu) {
    const auto set = test::golden_paper_results_of_cpu();
    const PaperResults results(set, {});
    expect_golden("paper_cpu_tables.md", paper_text(results));
    expect_golden("paper_cpu_tables.csv", paper_csv(results));
}

void expect_plots(const std::string& prefix, const bench::ResultSet& set) {
    std::string notes;
    for (const auto& plot : paper_plots(PaperResults(set, {}))) {
        notes += plot.name + ": " + plot.note + '\n';
        if (plot.picture) expect_golden(prefix + plot.name + ".svg", svg(*plot.picture));
    }
    expect_golden(prefix + "notes.txt", notes);
}

TEST(GoldenPaper, Pictures) { expect_plots("paper_", test::golden_paper_results(5)); }

TEST(GoldenPaper, PicturesOfResultsThatSayLittle) { expect_plots("paper_cpu_", test::golden_paper_results_of_cpu()); }

/// More matrices than there is room for names; one has no result of paper-deferred.
TEST(GoldenPaper, PictureOfManyMatrices) {
    auto set = test::golden_paper_results(60);
    set.results.erase(std::ranges::find(set.results, "paper-deferred", [](const auto& r) { return r.id.selector; }));
    const auto plots = paper_plots(PaperResults(set, {}));
    expect_golden("paper_many_configurations.svg", svg(*plots[1].picture));
}

TEST(GoldenPaper, WhatHasNoResultIsLeftOutOfTablesOrHasNoFigure) {
    auto set = test::golden_paper_results(3);
    std::erase_if(set.results, [](const auto& r) {
        return r.id.matrix == "folder/matrix-1.mtx.gz" && r.id.selector.starts_with("paper-");
    });
    const std::string some = paper_text(PaperResults(set, {}));
    EXPECT_THAT(some, HasSubstr("|\n| matrix-2 | 26,550 |")) << "the first of the shares of formats";
    EXPECT_THAT(some, HasSubstr("\n| matrix-1 | 200,000 | - | - | - | - | - |\n")) << "of the bytes";
    std::erase_if(set.results, [](const auto& r) { return r.id.selector == "paper-adaptive"; });
    const std::string none = paper_text(PaperResults(set, {}));
    EXPECT_THAT(none, HasSubstr("with a routine for each format.\n"));
    EXPECT_THAT(
        none,
        HasSubstr("\n- Left out: paper-adaptive, tile-warp paper-adaptive, of which there is no right result.\n"));
}

/// Results of a GPU go first, those of one value type, device and number of threads belong together.
TEST(GoldenPaper, ChoosesAmongResults) {
    auto set = test::golden_paper_results_of_cpu();
    for (const auto& r : test::golden_paper_results(1).results) set.put(r);
    for (const auto& r : test::golden_paper_results_of_cpu().results) {
        auto other = r;
        other.id.values = "float32";
        other.id.threads = 3;
        other.nnz = 77;
        set.put(other);
        other.id.threads = 4;
        other.nnz = 78;
        other.warm.seconds = {0x1p-40};
        set.put(other);
        other.id.threads = 3;
        other.nnz = 77;
        other.id.matrix = "another.mtx";
        set.put(other);
        other = r;  // of the matrix and the threads of the setting, but not its values, or not its device
        other.nnz = 79;
        other.warm.seconds = {0x1p-40};
        other.id.values = "float32";
        set.put(other);
        other.id = r.id;
        other.id.device = "another CPU";
        set.put(other);
    }
    EXPECT_EQ(PaperResults(set, {}).setting().device, "Some GPU");
    const PaperResults cpu(set, {.values = "", .backend = Backend::cpu});
    ASSERT_EQ(cpu.matrices().size(), 1u);
    EXPECT_EQ(cpu.matrices()[0].nnz, 4096);
    const PaperResults narrow(set, {.values = "float32", .backend = {}});
    EXPECT_EQ(narrow.setting().threads, 3);
    ASSERT_EQ(narrow.matrices().size(), 2u);
    for (const auto& matrix : narrow.matrices()) EXPECT_EQ(matrix.nnz, 77);
}

/// Preparation in products of another operator is not compared with it.
TEST(GoldenPaper, PreparationHasOneUnit) {
    auto set = test::golden_paper_results_of_cpu();
    set.results[1].speedups.insert(set.results[1].speedups.begin(), {.baseline = "tile-omp", .against = "tile-omp"});
    const PaperResults results(set, {});
    EXPECT_EQ(results.preparation_unit(), "csr-omp");
    EXPECT_EQ(results.preparation(set.results[0]), set.results[0].preprocess_products);
    EXPECT_EQ(results.preparation(set.results[1]), 0);
}

TEST(GoldenPaper, RecordedSpeedupCountsOverTheFastestVariantOnly) {
    auto set = test::golden_paper_results_of_cpu();
    auto slower = set.results[2];
    slower.id.operator_name = "csr-omp:variant";
    for (double& seconds : slower.warm.seconds) seconds *= 2;
    set.put(slower);
    set.results[0].speedups[0].median = 3;
    set.results[1].speedups[0].median = 99;
    set.results[1].speedups[0].against = slower.id.operator_name;
    const PaperResults results(set, {});
    const auto csr_omp = results.find(ContestantKind::competitor, "csr-omp").value();
    const auto over_csr_omp = [&](std::string_view name) {
        const auto of = results.find(ContestantKind::configuration, name).value();
        return speedup(results, results.matrices().at(0), of, csr_omp).value();
    };
    EXPECT_EQ(over_csr_omp("paper-csr"), 3) << "as recorded";
    EXPECT_DOUBLE_EQ(over_csr_omp("paper-adaptive"), 1.25) << "by medians";
}

TEST(GoldenPaper, FiguresHaveThreeDigitsWhereTheyRoundUp) {
    auto set = test::golden_paper_results_of_cpu();
    set.results[0].preprocess_products = 9.997;
    set.results[1].preprocess_products = 99.97;
    EXPECT_THAT(paper_text(PaperResults(set, {})), HasSubstr("| 4,096 | 10.0 | 100 |"));
    set.results[0].preprocess_products = 9.992;
    set.results[1].preprocess_products = 99.92;
    EXPECT_THAT(paper_text(PaperResults(set, {})), HasSubstr("| 4,096 | 9.99 | 99.9 |"));
}

TEST(GoldenPaper, Command) {
    test::Transcript commands;
    write_results(commands.path("gpu.json"), test::golden_paper_results(5));
    write_results(commands.path("cpu.json"), test::golden_paper_results_of_cpu());
    auto wrong = test::golden_paper_results_of_cpu();
    wrong.results[0].status = bench::Status::wrong;
    write_results(commands.path("wrong.json"), wrong);
    wrong.results[1].status = bench::Status::wrong;
    write_results(commands.path("all_wrong.json"), wrong);
    write_results(commands.path("other.json"), test::golden_results());
    commands.directory().file("file", "");
    commands.run("paper --from {}cpu.json -o {}new/paper");
    commands.run("paper --from {}gpu.json -o {}gpu");
    commands.run("paper --from {}wrong.json -o {}wrong");
    commands.run("paper --from {}all_wrong.json -o {}none");
    commands.run("paper --from {}other.json -o {}none --values float32");
    commands.run("paper --from {}cpu.json -o {}none --device cuda");
    commands.run("paper --from {}missing.json -o {}none");
    commands.run("paper --from {}cpu.json -o {}file");
    expect_golden("paper.txt", commands.text());
    const auto set = test::golden_paper_results_of_cpu();
    const PaperResults results(set, {});
    EXPECT_EQ(test::content_of(commands.path("new/paper/tables.md")), paper_text(results));
    EXPECT_EQ(test::content_of(commands.path("new/paper/tables.csv")), paper_csv(results));
    EXPECT_FALSE(std::filesystem::exists(commands.path("new/paper/results.json")));
}

}  // namespace
}  // namespace tilespmv::tools
