#pragma once

#include "kernels/solver/preconditioner/preconditioner.hpp"

namespace tilespmv::solver {

inline constexpr int kMostBlockSize = 32;

/// M: the inverses of dense blocks on the diagonal of A, of `size` unknowns, such as those of a node.
template <class T>
std::unique_ptr<Preconditioner<T>> make_block_jacobi(const CsrMatrix<T>& a, Options& options);

template <class T>
inline constexpr PreconditionerInfo<T> kBlockJacobi{
    {.name = "block-jacobi",
     .summary = "the inverses of dense blocks on the diagonal, size=3: unknowns of each, 1 to 32"},
    make_block_jacobi<T>};

}  // namespace tilespmv::solver
