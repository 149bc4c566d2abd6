#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace tilespmv::tools {

// Options that several commands share, so that they are called the same and explained the same everywhere.

/// The positional argument A: a matrix, as `load_csr` understands it.
CLI::Option* add_source(CLI::App& command, std::string& source);

/// --values float64|float32; empty if not given.
CLI::Option* add_values(CLI::App& command, std::string& values);

/// --selector S; empty if not given.
CLI::Option* add_selector(CLI::App& command, std::string& selector);

/// --selector S, several times.
CLI::Option* add_selectors(CLI::App& command, std::vector<std::string>& selectors);

/// --seed N of the random vectors.
CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed);

/// Why a device ("cpu", "cuda") cannot be used by this build, and what to do about it; empty if it can.
std::string why_no_device(std::string_view device);

/// --device cpu|cuda. A device that this build cannot use ends the command with an `unavailable` error.
CLI::Option* add_device(CLI::App& command);

/// Shows the lines under "Examples:" at the end of the command's help.
void set_examples(CLI::App& command, const std::vector<std::string>& lines);

}  // namespace tilespmv::tools
