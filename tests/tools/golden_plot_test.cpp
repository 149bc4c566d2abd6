// Whole pictures of results.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/tools/decoded_png.hpp"
#include "tests/tools/golden.hpp"
#include "tests/tools/golden_results.hpp"
#include "tests/tools/golden_sweep_results.hpp"
#include "tests/tools/transcript.hpp"
#include "tile/error.hpp"
#include "tools/picture/picture_file.hpp"
#include "tools/picture/svg.hpp"
#include "tools/plot/axis.hpp"
#include "tools/plot/draw.hpp"
#include "tools/plot/plot_files.hpp"
#include "tools/plot/plots.hpp"
#include "tools/plot/sweeps.hpp"

namespace tilespmv::tools {
namespace {

using test::expect_golden;

void expect_plots(const std::string& prefix, const bench::ResultSet& set, const std::string& baseline) {
    std::string notes;
    for (const auto& plot : make_plots(set, baseline)) {
        notes += plot.name + ": " + plot.note + '\n';
        if (plot.picture) expect_golden(prefix + plot.name + ".svg", svg(*plot.picture));
    }
    expect_golden(prefix + "notes.txt", notes);
}

TEST(GoldenPlot, Cpu) { expect_plots("plot_cpu_", test::golden_results(), ""); }
TEST(GoldenPlot, Gpu) { expect_plots("plot_gpu_", test::golden_gpu_results(), "cusparse-csr"); }

TEST(GoldenPlot, Sweeps) {
    const std::string subtitle = "Some GPU, float64, warm";
    for (const auto& plot : sweep_plots(test::golden_thread_sweeps(), subtitle)) {
        expect_golden(fmt::format("plot_{}.svg", plot.name), svg(*plot.picture));
    }
    const auto plots = make_plots(test::golden_thread_sweeps(), "");
    EXPECT_EQ(plots.back().name, "threads");
    EXPECT_TRUE(sweep_plots(test::golden_results(), subtitle).empty());
}

TEST(GoldenPlot, Command) {
    test::Transcript commands;
    write_results(commands.path("results.json"), test::golden_results());
    auto bare = test::golden_results();
    for (auto& r : bare.results) r.executed.clear();
    write_results(commands.path("bare.json"), bare);
    bare.results.erase(bare.results.begin(), bare.results.end() - 2);
    write_results(commands.path("failed.json"), bare);
    commands.directory().file("file", "");
    commands.run("plot {}results.json -o {}new/plots");
    commands.run("plot {}results.json -o {}plots --baseline magic");
    commands.run("plot {}results.json -o {}png --format png");
    commands.run("plot {}bare.json -o {}plots");
    commands.run("plot {}failed.json -o {}none");
    commands.run("plot {}missing.json -o {}none");
    commands.run("plot {}results.json -o {}file/plots");
    expect_golden("plot.txt", commands.text());
    EXPECT_EQ(test::decoded_png(test::content_of(commands.path("png/speedup.png"))).width(), 2 * 960);
    EXPECT_EQ(test::content_of(commands.path("new/plots/speedup.svg")),
              svg(*make_plots(test::golden_results(), "")[0].picture));
}

TEST(GoldenPlot, APictureThatIsTooLargeForPngDoesNotKeepTheOthersFromBeingWritten) {
    const test::TemporaryDirectory directory;
    const std::vector<Plot> plots{{"high", Picture(10, 20'000, ""), ""}, {"low", Picture(10, 10, ""), ""}};
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    try {
        write_plots(plots, {directory.path(), "png"});
        ADD_FAILURE() << "nothing thrown";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "1 of 2 pictures failed");
    }
    const std::string folder = directory.path().string();
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), folder + "/low.png\n");
    EXPECT_EQ(
        ::testing::internal::GetCapturedStderr(),
        fmt::format("tilespmv: {}/high.png: PNG of 20 x 40000 pixels: no side can be longer than 32767; take SVG\n",
                    folder));
    EXPECT_EQ(test::decoded_png(test::content_of(folder + "/low.png")).width(), 20);
    EXPECT_FALSE(std::filesystem::exists(folder + "/high.png"));
    EXPECT_THROW(write_picture(folder + "/none/low.png", *plots[1].picture, 1), Error);
}

/// More series than can be told apart, more points than large dots leave room for, names that are too long.
TEST(GoldenPlot, ManySeries) {
    bench::ResultSet set{test::golden_machine(), test::golden_build(), {}};
    for (int i = 0; i < 13; ++i) {
        const std::string name = fmt::format("operator-{}{}", i, i == 5 ? std::string(40, 'x') : "");
        for (int k = 0; k < (i == 3 ? 189 : 1); ++k) {
            auto r = test::golden_result(fmt::format("m{}", k), 1000 + 37 * k, name, "", 0.25, 1);
            set.put(test::with_speedup(std::move(r), "base", "base", 1 + 0.5 * i));
        }
    }
    const auto plots = make_plots(set, "");
    EXPECT_EQ(plots[0].note, "shows the 12 best of 13 series");
    const std::string drawn = svg(*plots[0].picture);
    EXPECT_EQ(drawn.find("operator-0<"), std::string::npos);  // the slowest
    EXPECT_NE(drawn.find(R"(r="4")"), std::string::npos);     // 200 points
    EXPECT_EQ(drawn.find(R"(r="3")"), std::string::npos);
    EXPECT_NE(drawn.find(">operator-5" + std::string(17, 'x') + "\u2026<"), std::string::npos);
    auto more = test::golden_result("another", 9, "operator-3", "", 0.25, 1);
    set.put(test::with_speedup(std::move(more), "base", "base", 2.5));
    EXPECT_NE(svg(*make_plots(set, "")[0].picture).find(R"(r="3")"), std::string::npos);  // 201
}

std::string ticks(Scale scale, double low, double high, std::string_view unit) {
    const Axis axis(scale, low, high, unit);
    std::string text;
    for (const auto& tick : axis.ticks()) text += fmt::format(" {:g}={}", tick.value, tick.label);
    return text;
}

TEST(GoldenPlot, Axes) {
    std::string text;
    using Range = std::pair<double, double>;
    for (const auto& [low, high] : {Range{0, 1},
                                    {0, 2},
                                    {0, 2.5},
                                    {0, 2.6},
                                    {0, 5},
                                    {0, 5.1},
                                    {0, 10},
                                    {0, 25},
                                    {0, 26},
                                    {0, 99},
                                    {0, 100},
                                    {0, 101},
                                    {0, 250},
                                    {0.5, 0.5},
                                    {3, 17},
                                    {-7, 8},
                                    {0, 1e6}}) {
        text += fmt::format("linear {:g} to {:g}:{}\n", low, high, ticks(Scale::linear, low, high, "%"));
    }
    for (const auto& [low, high] : {Range{1, 1},
                                    {1, 2},
                                    {1, 2.1},
                                    {0.99, 5},
                                    {2, 5},
                                    {5, 10},
                                    {1, 100},
                                    {1, 125},
                                    {1, 126},
                                    {0.01, 3},
                                    {999, 1e6},
                                    {1000, 1e6},
                                    {2e3, 3e9},
                                    {0.02, 0.05}}) {
        text += fmt::format("logarithmic {:g} to {:g}:{}\n", low, high, ticks(Scale::logarithmic, low, high, "x"));
    }
    expect_golden("plot_axes.txt", text);
}

}  // namespace
}  // namespace tilespmv::tools
