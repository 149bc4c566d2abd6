#pragma once

#include "selector/auto/work_terms.hpp"

namespace tilespmv {

/// Bytes of the matrix as csr16.
double csr16_bytes(const MatrixFeatures& f);
/// What operators on row blocks choose: the logarithm of the nonzeros that a thread asks for at once.
double row_block_choice(const MatrixFeatures& f);
/// Waves of their teams.
double row_block_waves(const MatrixFeatures& f);

}  // namespace tilespmv
