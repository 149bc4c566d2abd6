#pragma once

#include "bench/harness/device_measurer.hpp"
#include "tools/options/source.hpp"

namespace tilespmv::tools {

/// What a command line calls a matrix, with random values where a file has none, as `bench` does.
template <Value V>
CsrMatrix<V> load_for_tune(const std::string& source) {
    return load_csr<V>(source, PatternValues::random);
}

inline bench::MatrixLoader matrix_loader() {
    return {load_for_tune<double>, load_for_tune<float>, load_for_tune<Half>, load_for_tune<Bfloat16>};
}

}  // namespace tilespmv::tools
