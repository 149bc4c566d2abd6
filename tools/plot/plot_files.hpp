#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tools/options/cli_forward.hpp"
#include "tools/options/command_files.hpp"
#include "tools/plot/plots.hpp"

namespace tilespmv::tools {

/// Where the pictures of a command go, and as what.
struct PlotFiles {
    std::filesystem::path directory;
    std::string format = "svg";  ///< svg or png
};

/// --format svg|png.
CLI::Option* add_format(CLI::App& command, std::string& format);

/// Makes a folder and those it lies in, if they are missing. Throws `Error`.
void make_directory(const std::filesystem::path& directory);

/// Writes a text as a whole to a file in a folder and says its name on stdout. Throws `Error`.
void write_named(const std::filesystem::path& file, std::string_view text);

/// Adds the files of the pictures to what a command writes. Throws a usage `Error` if one would replace another.
void add_outputs(CommandFiles& files, const std::vector<Plot>& plots, const PlotFiles& to);

/// Writes the pictures into a folder and says their names on stdout and their notes on stderr. One that fails is named
/// on stderr and does not keep the others from being written; then throws `Error`.
void write_plots(const std::vector<Plot>& plots, const PlotFiles& to);

}  // namespace tilespmv::tools
