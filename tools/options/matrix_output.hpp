#pragma once

#include <optional>
#include <string>

#include "tile/matrix_market/matrix_market.hpp"
#include "tools/options/cli_forward.hpp"

namespace tilespmv::tools {

/// Throws a usage `Error` for an output that is neither a Matrix Market file nor an archive by its name, and for a
/// symmetry that an archive was to have.
void require_matrix_output(const std::string& output, std::optional<Symmetry> symmetry);

/// --symmetry general|symmetric|skew-symmetric; empty if not given. `default_text` says what then happens.
CLI::Option* add_symmetry(CLI::App& command, std::optional<Symmetry>& symmetry, const std::string& default_text);

}  // namespace tilespmv::tools
