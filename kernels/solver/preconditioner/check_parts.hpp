#pragma once

#include "kernels/solver/preconditioner/preconditioner.hpp"

namespace tilespmv::solver {

/// Throws `Error` unless every part has the size that a matrix of so many rows needs.
template <class T>
void check_parts(const PreconditionerParts<T>& parts, index_t rows);

}  // namespace tilespmv::solver
