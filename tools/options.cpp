#include "tools/options.hpp"

#include <fmt/format.h>

#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tile/types.hpp"

namespace tilespmv::tools {
namespace {

constexpr const char* kSelectorHelp =
    "How tiles get their formats, name[:option=value,...]; `tilespmv info` lists the names";

void require_device(const std::string& device) {
    const std::string why = why_no_device(device);
    if (!why.empty()) throw Error(fmt::format("device {}: {}", device, why), ExitCode::unavailable);
}

}  // namespace

CLI::Option* add_source(CLI::App& command, std::string& source) {
    return command
        .add_option("A", source,
                    "Matrix: .mtx (plain, .gz, .xz), SuiteSparse .tar.gz, .tsp archive, or gen:KIND[:n=...]")
        ->required();
}

CLI::Option* add_values(CLI::App& command, std::string& values) {
    return command.add_option("--values", values, "Value type (default: float64, or that of an archive)")
        ->check(CLI::IsMember({std::string(value_name<double>()), std::string(value_name<float>())}));
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
    // CLI11 would wrap a negative number.
    const auto not_negative = [](const std::string& text) {
        return text.starts_with('-') ? fmt::format("found {}, expected 0 or more", text) : std::string();
    };
    return command.add_option("--seed", seed, "Seed of the random vectors")->check(not_negative)->capture_default_str();
}

std::string why_no_device(std::string_view device) {
    if (device == "cpu") return "";
#if TILESPMV_HAS_CUDA
    return "the CUDA operators of this version are reached from C++ only (kernels/cuda/tile_operator.hpp)";
#else
    return "not in this build, which found no CUDA Toolkit; the CUDA operators of this version are reached from C++ "
           "only";
#endif
}

CLI::Option* add_device(CLI::App& command) {
    return command
        .add_option_function<std::string>("--device", require_device, "Where the product runs (default: cpu)")
        ->check(CLI::IsMember({"cpu", "cuda"}));
}

void set_examples(CLI::App& command, const std::vector<std::string>& lines) {
    std::string footer = "Examples:";
    for (const auto& line : lines) footer += "\n  " + line;
    command.footer(footer);
}

}  // namespace tilespmv::tools
