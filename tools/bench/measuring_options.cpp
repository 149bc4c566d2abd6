#include "tools/bench/measuring_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/harness/cpu_device.hpp"
#include "bench/harness/cuda_device.hpp"
#include "bench/harness/mode.hpp"
#include "bench/harness/suite.hpp"
#include "tools/options/number_option.hpp"

namespace tilespmv::tools {
namespace {

std::vector<std::string> mode_names() {
    std::vector<std::string> names;
    for (const bench::Mode mode : bench::kModes) names.emplace_back(mode_name(mode));
    return names;
}

std::string suite_help() {
    std::string help = "Measure a named set of matrices, beside those given";
    for (const auto& suite : bench::suites()) help += fmt::format("\n  {}: {}", suite.name, suite.summary);
    return help;
}

}  // namespace

CLI::Option* add_suite(CLI::App& command, std::string& suite) {
    return command.add_option("--suite", suite, suite_help());
}

CLI::Option* add_mode(CLI::App& command, std::string& mode, const std::string& help) {
    return command.add_option("--mode", mode, help)->check(CLI::IsMember(mode_names()))->capture_default_str();
}

CLI::Option* add_modes(CLI::App& command, std::vector<std::string>& modes) {
    return command
        .add_option(
            "--mode", modes,
            "How products follow each other, separated by commas (default: warm,cold; warm is always measured): "
            "cold: single ones; graph: dependent ones in a CUDA graph; chain: the same as launches; axpy: each "
            "after a kernel that writes x")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(mode_names()));
}

void add_sampling_options(CLI::App& command, BenchOptions& options) {
    constexpr double shortest = 1e-9, longest = 1e6, least = 1e-3, most = 1e3;
    add_number(command, "--min-time", options.min_seconds, shortest, longest,
               "Sample every operator for so many seconds (default: 0.3)");
    add_number(command, "--max-time", options.max_seconds, shortest, longest,
               "... but no longer than so many (default: 5; cold products 3, preprocessing 1)");
    add_number(command, "--noise", options.noise_percent, least, most,
               "Stop when the median is known so well: half its 95% interval in percent (default: 2)");
    command
        .add_option_function<std::string>(
            "--pattern-values",
            [&options](const std::string& name) {
                options.pattern_values =
                    name == pattern_values_name(PatternValues::ones) ? PatternValues::ones : PatternValues::random;
            },
            "Values of files that have none: random, the same on every machine, or ones (default: random)")
        ->check(CLI::IsMember(std::vector<std::string>(kPatternValueNames.begin(), kPatternValueNames.end())));
    command.add_flag("--quick", options.quick, "Sample less: times are noisier");
}

std::unique_ptr<bench::Device> make_device(Backend backend) {
    if (backend == Backend::cuda) return bench::make_cuda_device();
    return std::make_unique<bench::CpuDevice>();
}

}  // namespace tilespmv::tools
