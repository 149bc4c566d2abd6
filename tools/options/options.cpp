#include "tools/options/options.hpp"

#include <limits>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "kernels/cuda/device.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tile/types.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"

namespace tilespmv::tools {
namespace {

constexpr const char* kSelectorHelp =
    "How tiles get their formats, name[:option=value,...]; `tilespmv info` lists the names";

}  // namespace

CLI::Option* add_source(CLI::App& command, std::string& source) {
    return add_input(
               command, "A", source,
               "Matrix: .mtx (plain, .gz, .bz2, .xz, .zst), SuiteSparse .tar.gz, .tsp archive, or gen:KIND[:n=...]")
        ->required();
}

CLI::Option* add_sources(CLI::App& command, std::vector<std::string>& sources) {
    return add_input(
        command, "A", sources,
        "Matrices: .mtx (plain, .gz, .bz2, .xz, .zst), SuiteSparse .tar.gz, .tsp archive, or gen:KIND[:n=...]");
}

CLI::Option* add_values(CLI::App& command, std::string& values) {
    return command.add_option("--values", values, "Value type (default: float64, or that of an archive)")
        ->check(CLI::IsMember(std::vector<std::string>(kValueNames.begin(), kValueNames.end())));
}

CLI::Option* add_selector(CLI::App& command, std::string& selector) {
    return command.add_option(
        "--selector", selector,
        fmt::format("{} (default: {}, or as stored in an archive)", kSelectorHelp, kDefaultSelector));
}

CLI::Option* add_selectors(CLI::App& command, std::vector<std::string>& selectors) {
    return command.add_option("--selector", selectors, fmt::format("{}; may be repeated", kSelectorHelp))
        ->allow_extra_args(false);
}

CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return add_number<std::uint64_t>(command, "--seed", seed, 0, most, "Seed of the random vectors")
        ->default_str(fmt::format("{}", seed));
}

CLI::Option* add_device(CLI::App& command, std::string& device, const std::string& default_text) {
    return command.add_option("--device", device, fmt::format("Where products run (default: {})", default_text))
        ->check(CLI::IsMember({"cpu", "cuda"}));
}

Backend choose_backend(const std::string& device) {
    if (device == "cpu") return Backend::cpu;
    try {
        static_cast<void>(cuda::require_device());
        return Backend::cuda;
    } catch (const Error& error) {
        if (!device.empty() || error.code() != ExitCode::unavailable) throw;
        return Backend::cpu;
    }
}

CLI::Option* add_accumulator(CLI::App& command, std::optional<Accumulator>& accumulator) {
    const std::string wide(accumulator_name(Accumulator::float64));
    const std::string narrow(accumulator_name(Accumulator::float32));
    const auto set = [&accumulator, wide](const std::string& name) {
        accumulator = name == wide ? Accumulator::float64 : Accumulator::float32;
    };
    return command
        .add_option_function<std::string>("--accumulate", set,
                                          "Type of the sums, of operators for the GPU that have the choice (default: "
                                          "float64, float32 for 16-bit values)")
        ->check(CLI::IsMember({wide, narrow}));
}

void set_examples(CLI::App& command, const std::vector<std::string>& lines) {
    std::string footer = "Examples:";
    for (const auto& line : lines) footer += "\n  " + line;
    command.footer(footer);
}

}  // namespace tilespmv::tools
