#pragma once

#include "bench/harness/device_measurer.hpp"
#include "tools/options/source.hpp"

namespace tilespmv::tools {

/// Loads what a command line calls a matrix, with random values where a file has none, as `bench` does.
inline bench::MatrixLoader matrix_loader() {
    return {[](const std::string& source) { return load_csr<double>(source, PatternValues::random).matrix; },
            [](const std::string& source) { return load_csr<float>(source, PatternValues::random).matrix; }};
}

}  // namespace tilespmv::tools
