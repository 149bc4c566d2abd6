#pragma once

#include <string>

#include "kernels/solver/preconditioner/preconditioner.hpp"

namespace tilespmv::solver {

/// The approximate inverse of the preconditioner of symmetric successive over-relaxation, after Helfenstein and Koko,
/// "Parallel preconditioned conjugate gradient algorithm on GPU" (J. Comput. Appl. Math. 236, 2012): of A = L + D + L',
/// Dw = D / w,
///     M = K' K,  K = sqrt(2 - w) Dw^(-1/2) (I - L Dw^-1).
/// Symmetric positive definite by its form. Applied by two products, of K and K'.
template <class T>
std::unique_ptr<Preconditioner<T>> make_ssor_ai(const CsrMatrix<T>& a, Options& options);
template <class T>
std::unique_ptr<Preconditioner<T>> make_ssor_ai(const cuda::DeviceCsrView<T>& a, Options& options);

/// What its options say.
struct SsorChoice {
    explicit SsorChoice(Options& options)
        : w(options.number("w", 1, 0x1p-20, 2 - 0x1p-20)), operators(options.word("operator", "auto")) {
        options.finish();
    }
    double w;
    std::string operators;
};

template <class T>
inline constexpr PreconditionerInfo<T> kSsorAi{
    {.name = "ssor-ai",
     .summary = "approximate inverse of SSOR, w=1 (0 to 2), operator=NAME: that multiplies by its matrices"},
    make_ssor_ai<T>,
    make_ssor_ai<T>};

}  // namespace tilespmv::solver
