#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tools/bench/run.hpp"
#include "tools/options/cli_forward.hpp"

// What the commands that measure have in common.
namespace tilespmv::tools {

/// --suite NAME; its help lists them.
CLI::Option* add_suite(CLI::App& command, std::string& suite);

/// --mode NAME, one of them.
CLI::Option* add_mode(CLI::App& command, std::string& mode, const std::string& help);

/// --mode NAME[,NAME...].
CLI::Option* add_modes(CLI::App& command, std::vector<std::string>& modes);

/// --min-time, --max-time, --noise, --quick and --pattern-values.
void add_sampling_options(CLI::App& command, BenchOptions& options);

/// Where operators of a backend are measured. Throws an `unavailable` error if there is no GPU that serves.
std::unique_ptr<bench::Device> make_device(Backend backend);

}  // namespace tilespmv::tools
