#pragma once

#include "selector/auto/work_terms.hpp"

namespace tilespmv {

/// Bytes of the matrix as ELL, what a product of it does, and whether rows are even enough for it.
double ell_bytes(const MatrixFeatures& f);
void ell_work(const MatrixFeatures& f, Work& work);
bool suits_ell(const MatrixFeatures& f);

}  // namespace tilespmv
