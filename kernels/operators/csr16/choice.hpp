#pragma once

#include "selector/auto/work_terms.hpp"

namespace tilespmv {

/// Bytes of the matrix as csr16.
double csr16_bytes(const MatrixFeatures& f);

}  // namespace tilespmv
