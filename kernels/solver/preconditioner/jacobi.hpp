#pragma once

#include "kernels/solver/preconditioner/preconditioner.hpp"

namespace tilespmv::solver {

/// M = I. Takes no options.
template <class T>
std::unique_ptr<Preconditioner<T>> make_none(const CsrMatrix<T>& a, Options& options);
template <class T>
std::unique_ptr<Preconditioner<T>> make_none(const cuda::DeviceCsrView<T>& a, Options& options);
/// M = D^-1, D the diagonal of A.
template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi(const CsrMatrix<T>& a, Options& options);
template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi(const cuda::DeviceCsrView<T>& a, Options& options);

template <class T>
inline constexpr PreconditionerInfo<T> kNone{{.name = "none", .summary = "M = I"}, make_none<T>, make_none<T>};
template <class T>
inline constexpr PreconditionerInfo<T> kJacobi{
    {.name = "jacobi", .summary = "the inverse of the diagonal"}, make_jacobi<T>, make_jacobi<T>};

}  // namespace tilespmv::solver
