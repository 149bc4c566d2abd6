#pragma once

#include "bench/harness/device_measurer.hpp"
#include "tools/options/source.hpp"

namespace tilespmv::tools {

/// Loads what a command line calls a matrix.
inline bench::MatrixLoader matrix_loader() {
    return {[](const std::string& source) { return load_csr<double>(source); },
            [](const std::string& source) { return load_csr<float>(source); }};
}

}  // namespace tilespmv::tools
