#pragma once

#include "kernels/solver/preconditioner/preconditioner.hpp"

namespace tilespmv::solver {

/// The approximate inverse of the preconditioner of symmetric successive over-relaxation, after Helfenstein and Koko,
/// "Parallel preconditioned conjugate gradient algorithm on GPU" (J. Comput. Appl. Math. 236, 2012), and, with the
/// second order, Gao and others: of A = L + D + L', Dw = D / w,
///     M = K' K,  K = sqrt(2 - w) Dw^(-1/2) (I - L Dw^-1 [+ (L Dw^-1)^2]).
/// Symmetric positive definite by its form. As `form` says, applied in
///  - factors: triangular products, 2 of the first order, 4 of the second;
///  - pair: K, then K';
///  - explicit: one matrix M.
template <class T>
std::unique_ptr<Preconditioner<T>> make_ssor_ai(const CsrMatrix<T>& a, Options& options);

template <class T>
inline constexpr PreconditionerInfo<T> kSsorAi{
    {.name = "ssor-ai",
     .summary = "approximate inverse of SSOR, w=1 (0 to 2), order=1|2, form=factors|pair|explicit, operator=NAME: that "
                "multiplies by its matrices"},
    make_ssor_ai<T>};

}  // namespace tilespmv::solver
