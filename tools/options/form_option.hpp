#pragma once

#include <optional>
#include <string>

#include "kernels/source.hpp"

namespace tilespmv::tools {

/// What `--as tile` or `--as strip[:bytes=B]` asks for.
struct WantedForm {
    Form form = Form::csr;             ///< CSR: not given
    std::optional<double> most_bytes;  ///< of strips, if given (`make_strip_matrix`)
};

/// An empty specification is none. Throws a usage `Error` for another form and for wrong options.
WantedForm read_as(const std::string& specification);

}  // namespace tilespmv::tools
