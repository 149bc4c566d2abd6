#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/io/printable.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/options.hpp"
#include "tools/picture/png.hpp"
#include "tools/picture/svg.hpp"
#include "tools/plot/plots.hpp"

namespace tilespmv::tools {
namespace {

constexpr const char* kSvg = "svg";
constexpr const char* kPng = "png";

struct PlotOptions {
    std::string results;
    std::string directory;
    std::string baseline;
    std::string format = kSvg;
};

std::filesystem::path file_of(const PlotOptions& options, const Plot& plot) {
    return std::filesystem::path(options.directory) / (plot.name + "." + options.format);
}

std::string content_of(const PlotOptions& options, const Picture& picture) {
    constexpr double pixels_per_point = 2;  // so that texts are as sharp as screens can show them
    return options.format == kSvg ? svg(picture) : png(picture, pixels_per_point);
}

void make_directory(const std::filesystem::path& directory) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) throw Error(fmt::format("{}: cannot make this folder: {}", directory.string(), error.message()));
}

void refuse_to_lose_files(const PlotOptions& options, const std::vector<Plot>& plots) {
    CommandFiles files;
    files.input("RESULTS", options.results);
    for (const auto& plot : plots) files.output("--output", file_of(options, plot));
}

void write(const PlotOptions& options, const Plot& plot) {
    const auto file = file_of(options, plot);
    const std::string name = printable(file.string());
    if (!plot.note.empty()) {
        fmt::print(stderr, "tilespmv: {}{}: {}\n", name, plot.picture ? "" : " left out", printable(plot.note));
    }
    if (!plot.picture) return;
    OutputFile out(file);
    out.write(content_of(options, *plot.picture));
    out.commit();
    fmt::print("{}\n", name);
}

void run(const PlotOptions& options) {
    const auto set = bench::read_results(options.results);
    const auto plots = make_plots(set, options.baseline);
    if (std::ranges::all_of(plots, [](const Plot& plot) { return !plot.picture; })) {
        throw Error(fmt::format("{}: holds no right result that could be drawn", options.results));
    }
    make_directory(options.directory);
    refuse_to_lose_files(options, plots);
    for (const auto& plot : plots) write(options, plot);
}

}  // namespace

void add_plot(CLI::App& app) {
    auto options = std::make_shared<PlotOptions>();
    auto* command = app.add_subcommand(
        "plot", "Draw results: speed-up and bandwidth over nonzeros, what was executed, speed-up over row variation");
    add_input(*command, "RESULTS", options->results, "Result file of `tilespmv bench --json`")->required();
    command->add_option("-o,--output", options->directory, "Folder for the pictures, made if it is missing")
        ->required();
    command->add_option("--baseline", options->baseline,
                        "Baseline of the speed-ups (default: the first one in the results)");
    command
        ->add_option("--format", options->format,
                     "Kind of the files: svg, with hints under the mouse, or png (default: svg)")
        ->check(CLI::IsMember({kSvg, kPng}));
    set_examples(*command,
                 {"tilespmv plot results.json -o plots", "tilespmv plot results.json -o plots --baseline cusparse-csr",
                  "tilespmv plot results.json -o plots --format png"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
