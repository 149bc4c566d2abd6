#pragma once

#include <cstddef>
#include <string>

#include "tools/verify/verify.hpp"

namespace tilespmv::tools {

/// Of the columns of names.
struct VerifyWidths {
    std::size_t name = 0;
    std::size_t tiles = 0;
};

/// The names of the columns of `tilespmv verify`.
std::string verify_header(VerifyWidths widths);

/// A case as a line below them; what is wrong with it stands at the end.
std::string verify_line(const VerifyCase& result, VerifyWidths widths);

}  // namespace tilespmv::tools
