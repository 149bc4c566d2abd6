#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/choose_operator.hpp"
#include "tools/options/cli_forward.hpp"

namespace tilespmv::tools {

/// --operator NAME[:option=value,...], several times.
CLI::Option* add_operators(CLI::App& command, std::vector<std::string>& operators, const std::string& help);

/// The specifications asked for, or every operator of the backend, with sweeps expanded. Throws a usage `Error` for a
/// name that the backend does not have.
template <Value V>
std::vector<std::string> expand_operators(Backend backend, const std::vector<std::string>& specifications);

/// What speed-ups are given over if nobody says: csr-omp on a CPU, the best of cuSPARSE and its best CSR on a GPU.
std::vector<std::string_view> default_baselines(Backend backend);

/// The operators of a benchmark: those asked for (all but the oracle if none are), with sweeps expanded, and before
/// them those that the baselines stand for, for without them there is no speed-up to give; those of cuSPARSE with all
/// their sweeps, so that it is seen at its best.
/// Throws a usage `Error` for a name that the backend does not have.
template <Value V>
std::vector<std::string> contest_operators(Backend backend, const std::vector<std::string>& specifications,
                                           const std::vector<std::string>& baselines);

}  // namespace tilespmv::tools
