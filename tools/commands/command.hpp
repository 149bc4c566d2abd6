#pragma once

#include "tools/options/cli_forward.hpp"

namespace tilespmv::tools {

/// Each subcommand of `tilespmv` lives in a file of its own here and adds itself to the application with one of these:
/// options with their help, an example in the footer, and a callback that does the work and reports trouble by throwing
/// `Error`.
void add_convert(CLI::App& app);
void add_stats(CLI::App& app);
void add_view(CLI::App& app);
void add_solve(CLI::App& app);
void add_spmv(CLI::App& app);
void add_verify(CLI::App& app);
void add_bench(CLI::App& app);
void add_generate(CLI::App& app);
void add_explain(CLI::App& app);
void add_info(CLI::App& app);

/// All of them, in the order in which the help shows them.
void add_commands(CLI::App& app);

}  // namespace tilespmv::tools
