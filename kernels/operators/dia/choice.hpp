#pragma once

#include "selector/auto/work_terms.hpp"

namespace tilespmv {

/// Bytes of the matrix as DIA, what a product of it does, and whether diagonals are full enough for it.
double dia_bytes(const MatrixFeatures& f);
void dia_work(const MatrixFeatures& f, Work& work);
bool suits_dia(const MatrixFeatures& f);

}  // namespace tilespmv
