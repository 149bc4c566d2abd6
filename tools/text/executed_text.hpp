#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/executed.hpp"

namespace tilespmv::tools {

/// What tables call a part: its format if it has one, and what tiles of it were lowered to ("csr in slots", "coo in
/// rows"); else its representation.
std::string part_name(const ExecutedPart& part);

/// What was executed, by nonzeros, the largest parts first: "ell 71%, csr 20%, deferred 9%". Of more than `most`
/// parts the rest is counted: "ell 71%, csr 20%, 2 more". Empty without parts.
std::string executed_text(std::span<const ExecutedPart> parts, std::size_t most);

/// An operator by its specification, and the one that it took to run: "auto (sell)". `runs` may be empty.
std::string operator_text(std::string_view specification, std::string_view runs);

}  // namespace tilespmv::tools
