#include "tools/options/matrix_output.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tile/error.hpp"

namespace tilespmv::tools {

void require_matrix_output(const std::string& output, std::optional<Symmetry> symmetry) {
    if (is_matrix_market_name(output)) return;
    if (std::filesystem::path(output).extension() != ".tsp") {
        throw Error(
            fmt::format("{}: expected an output that ends in .mtx, .mtx.gz, .mtx.bz2, .mtx.xz, .mtx.zst or .tsp",
                        output),
            ExitCode::usage);
    }
    if (symmetry) {
        throw Error(fmt::format("{}: an archive has no symmetry, so --symmetry has no meaning", output),
                    ExitCode::usage);
    }
}

CLI::Option* add_symmetry(CLI::App& command, std::optional<Symmetry>& symmetry, const std::string& default_text) {
    const auto set = [&symmetry](const std::string& name) {
        const auto* const found = std::ranges::find(kSymmetryNames, name);
        symmetry = static_cast<Symmetry>(found - kSymmetryNames.begin());
    };
    return command
        .add_option_function<std::string>(
            "--symmetry", set,
            fmt::format("What a .mtx says of its matrix, and whether it holds the lower triangle alone (default: {})",
                        default_text))
        ->check(CLI::IsMember(std::vector<std::string>(kSymmetryNames.begin(), kSymmetryNames.end())));
}

}  // namespace tilespmv::tools
