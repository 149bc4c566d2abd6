#pragma once

#include <span>
#include <string>

#include "kernels/executed.hpp"

namespace tilespmv::tools {

/// What was executed, by nonzeros, the largest parts first: "ell 71%, csr 20%, deferred 9%". Of more than `most`
/// parts the rest is counted: "ell 71%, csr 20%, 2 more". Empty without parts.
std::string executed_text(std::span<const ExecutedPart> parts, std::size_t most);

}  // namespace tilespmv::tools
