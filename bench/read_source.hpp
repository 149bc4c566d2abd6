#pragma once

#include <filesystem>
#include <string>

#include "tile/generate/generate.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace tilespmv::bench {

/// A Matrix Market file, or a generator specification with or without `gen:`. Throws `Error`.
template <Value V>
CsrMatrix<V> read_source(const std::string& source) {
    if (std::filesystem::exists(source)) return read_matrix_market<V>(std::filesystem::path(source));
    return generate<V>(source.starts_with("gen:") ? source.substr(4) : source);
}

}  // namespace tilespmv::bench
