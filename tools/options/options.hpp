#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/choose_operator.hpp"
#include "tools/options/cli_forward.hpp"

namespace tilespmv::tools {

// Options that several commands share, so that they are called the same and explained the same everywhere.

/// The positional argument A: a matrix, as `load_csr` understands it.
CLI::Option* add_source(CLI::App& command, std::string& source);

/// The positional argument A, several times or not at all.
CLI::Option* add_sources(CLI::App& command, std::vector<std::string>& sources);

/// --values float64|float32; empty if not given.
CLI::Option* add_values(CLI::App& command, std::string& values);

/// --selector S; empty if not given.
CLI::Option* add_selector(CLI::App& command, std::string& selector);

/// --selector S, several times.
CLI::Option* add_selectors(CLI::App& command, std::vector<std::string>& selectors);

/// --seed N of the random vectors.
CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed);

/// --device cpu|cuda; empty if not given. `default_text` says what then happens.
CLI::Option* add_device(CLI::App& command, std::string& device, const std::string& default_text);

/// The device asked for; if none was, the GPU if this build and this machine have one, else the processors. Throws an
/// `unavailable` error for a GPU that was asked for and is not there.
Backend choose_backend(const std::string& device);

/// --accumulate float32|float64; empty if not given.
CLI::Option* add_accumulator(CLI::App& command, std::optional<Accumulator>& accumulator);

/// Shows the lines under "Examples:" at the end of the command's help.
void set_examples(CLI::App& command, const std::vector<std::string>& lines);

}  // namespace tilespmv::tools
