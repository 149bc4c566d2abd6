#pragma once

#include "selector/auto/work_terms.hpp"

namespace tilespmv {

/// Bytes of the matrix as COO.
inline double coo_bytes(const MatrixFeatures& f) { return (8 + value_of(f)) * nnz_of(f); }

}  // namespace tilespmv
