#pragma once

#include "kernels/solver/scalars.hpp"

/// What the scalars of conjugate gradients become when the sums of an iteration are there: the one place for it, in
/// plain double arithmetic, for the CPU and for one thread of a GPU. None of these changes anything once `end` is set.
/// A call with rho = 0 is that of a start: beta becomes 0, and no iteration is counted.
#ifdef __CUDACC__
#define TILESPMV_HOST_DEVICE __host__ __device__
#else
#define TILESPMV_HOST_DEVICE
#endif

namespace tilespmv::solver {

/// Neither NaN nor Inf.
TILESPMV_HOST_DEVICE constexpr bool is_number(double value) { return value - value == 0; }

/// Takes over rho and residual2 of a new residual and ends the iteration if it is small enough, or r'Mr says that M is
/// not positive definite. beta of the next direction follows.
TILESPMV_HOST_DEVICE constexpr void take_residual(Scalars& s, double rho, double residual2) {
    s.beta = s.rho == 0 ? 0 : rho / s.rho;
    s.span = 1 + s.beta * s.span;
    s.iterations += s.rho == 0 ? 0 : 1;
    s.rho = rho;
    s.residual2 = residual2;
    if (!is_number(residual2)) {
        s.end = End::not_a_number;
    } else if (residual2 <= s.tolerance2) {
        s.end = End::converged;
    } else if (!is_number(rho)) {
        s.end = End::not_a_number;
    } else if (rho <= 0) {
        s.end = End::not_positive_definite;
    }
}

/// Whether p'Ap is so small beside what it was that only rounding says what it is, its sign, too.
TILESPMV_HOST_DEVICE constexpr bool is_rounding(const Scalars& s, double curvature) {
    if (s.most_stretch == 0 || s.least_alpha == 0) return false;
    const double size = curvature < 0 ? -curvature : curvature;
    return s.rho * s.span > s.most_stretch * s.least_alpha * size;
}

/// alpha = rho / p'Ap, or the end if that is not positive.
TILESPMV_HOST_DEVICE constexpr void take_curvature(Scalars& s, double curvature) {
    const double alpha = s.rho / curvature;
    if (!is_number(curvature)) {
        s.end = End::not_a_number;
    } else if (is_rounding(s, curvature)) {
        s.end = End::singular;
    } else if (curvature <= 0 || !is_number(alpha)) {
        s.end = End::not_positive_definite;
    } else {
        s.alpha = alpha;
        if (s.least_alpha == 0 || alpha < s.least_alpha) s.least_alpha = alpha;
    }
}

/// Chronopoulos and Gear (1989): after w = M r and s = A w, from rho = r'w, mu = s'w and r'r. p'Ap is not summed, but
/// mu - rho * beta / alpha.
TILESPMV_HOST_DEVICE constexpr void take_inner_products(Scalars& s, double rho, double mu, double residual2) {
    if (s.end != End::none) return;
    take_residual(s, rho, residual2);
    s.mu = mu;
    if (s.end != End::none) return;
    take_curvature(s, s.beta == 0 ? mu : mu - rho * s.beta / s.alpha);
}

/// Goes on after `converged`, with a smaller tolerance: alpha is still that of the step before.
TILESPMV_HOST_DEVICE constexpr void resume(Scalars& s, Method method) {
    s.end = End::none;
    if (method == Method::textbook) return;
    take_curvature(s, s.beta == 0 ? s.mu : s.mu - s.rho * s.beta / s.alpha);
}

/// Textbook: after q = A p, from mu = p'q.
TILESPMV_HOST_DEVICE constexpr void take_step_length(Scalars& s, double mu) {
    if (s.end != End::none) return;
    take_curvature(s, mu);
}

/// Textbook: after w = M r, from rho = r'w and r'r.
TILESPMV_HOST_DEVICE constexpr void take_ratio(Scalars& s, double rho, double residual2) {
    if (s.end != End::none) return;
    take_residual(s, rho, residual2);
}

}  // namespace tilespmv::solver
