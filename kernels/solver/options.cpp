#include "kernels/solver/options.hpp"

#include <cmath>

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

std::string_view why(End end) {
    switch (end) {
        case End::limit:
            return "no more iterations were allowed";
        case End::stagnated:
            return "the residual does not fall any more";
        case End::singular:
            return "the matrix is singular, as far as its values tell, and b is not in its range";
        case End::not_positive_definite:
            return "the matrix or the preconditioner is not positive definite";
        case End::not_a_number:
            return "x, a residual or an inner product is NaN or Inf";
        case End::stopped:
            return "stopped by the caller";
        default:
            return "";
    }
}

}  // namespace

void check_options(const SolveOptions& o) {
    const bool are_fine = o.rtol.value_or(0) >= 0 && o.atol >= 0 && o.max_iterations >= 0 && o.check_every >= 0 &&
                          o.compare_every > 0 && o.stagnation_iterations >= 0;
    if (!are_fine) throw Error("a tolerance or a number of iterations of a solve is negative or NaN", ExitCode::usage);
}

std::string_view end_name(End end) {
    switch (end) {
        case End::converged:
            return "converged";
        case End::limit:
            return "limit";
        case End::stagnated:
            return "stagnated";
        case End::singular:
            return "singular";
        case End::not_positive_definite:
            return "not positive definite";
        case End::not_a_number:
            return "not a number";
        case End::stopped:
            return "stopped";
        case End::none:
            break;
    }
    return "none";
}

std::string describe(const SolveReport& report) {
    const auto count = fmt::format("{} iteration{}", report.iterations, report.iterations == 1 ? "" : "s");
    const auto relative = std::abs(report.rhs_norm > 0 ? report.residual / report.rhs_norm : report.residual);
    if (report.converged()) return fmt::format("converged in {}, relative residual {:.2e}", count, relative);
    return fmt::format("did not converge in {}, relative residual {:.2e}: {}", count, relative, why(report.end));
}

}  // namespace tilespmv::solver
