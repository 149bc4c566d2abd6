#include "tools/plot/plot_files.hpp"

#include <cstdio>
#include <system_error>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/io/printable.hpp"
#include "tools/picture/picture_file.hpp"

namespace tilespmv::tools {
namespace {

constexpr const char* kSvg = "svg";
constexpr const char* kPng = "png";

std::filesystem::path file_of(const Plot& plot, const PlotFiles& to) {
    return to.directory / fmt::format("{}.{}", plot.name, to.format);
}

void write(const Plot& plot, const PlotFiles& to) {
    const auto file = file_of(plot, to);
    if (!plot.note.empty()) {
        fmt::print(stderr, "tilespmv: {}{}: {}\n", printable(file.string()), plot.picture ? "" : " left out",
                   printable(plot.note));
    }
    if (!plot.picture) return;
    constexpr double pixels_per_point = 2;  // so that texts are as sharp as screens can show them
    write_picture(file, *plot.picture, pixels_per_point);
    fmt::print("{}\n", printable(file.string()));
}

}  // namespace

CLI::Option* add_format(CLI::App& command, std::string& format) {
    return command
        .add_option("--format", format, "Kind of the pictures: svg, with hints under the mouse, or png (default: svg)")
        ->check(CLI::IsMember({kSvg, kPng}));
}

void make_directory(const std::filesystem::path& directory) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) throw Error(fmt::format("{}: cannot make this folder: {}", directory.string(), error.message()));
}

void write_named(const std::filesystem::path& file, std::string_view text) {
    OutputFile out(file);
    out.write(text);
    out.commit();
    fmt::print("{}\n", printable(file.string()));
}

void add_outputs(CommandFiles& files, const std::vector<Plot>& plots, const PlotFiles& to) {
    for (const auto& plot : plots) files.output("--output", file_of(plot, to));
}

void write_plots(const std::vector<Plot>& plots, const PlotFiles& to) {
    std::size_t failed = 0;
    for (const auto& plot : plots) {
        try {
            write(plot, to);
        } catch (const Error& error) {
            fmt::print(stderr, "tilespmv: {}\n", printable(error.what()));
            ++failed;
        }
    }
    if (failed > 0) throw Error(fmt::format("{} of {} pictures failed", failed, plots.size()));
}

}  // namespace tilespmv::tools
