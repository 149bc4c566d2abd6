#pragma once

#include <cstdint>

namespace tilespmv::solver {

/// Which recurrence of conjugate gradients.
enum class Method {
    chronopoulos_gear,  ///< both inner products of an iteration in one pass (Chronopoulos and Gear 1989)
    textbook,           ///< two reductions an iteration, one vector less
};

/// How a solve ends.
enum class End : std::int32_t {
    none,                   ///< it goes on
    converged,              ///< the true residual is below the tolerance
    limit,                  ///< as many iterations as were allowed
    stagnated,              ///< the residual does not fall any more
    singular,               ///< A p is 0 but for rounding, and r'p is not: b is not in the range of A
    not_positive_definite,  ///< p'Ap or r'Mr is not positive: A or M is not positive definite
    not_a_number,           ///< NaN or Inf in a scalar
    stopped,                ///< the caller's function said so
};

/// The scalars of an iteration, in the memory where the vectors are, so that an iteration waits for nobody. The last
/// reduction of an iteration sets them; while `end` is not `none`, no operation on iterates changes a vector
/// or a scalar.
struct Scalars {
    double rho = 0;         ///< r'w, w = M r; 0 stands for "no iteration before": beta becomes 0
    double mu = 0;          ///< s'w (Chronopoulos and Gear) or p'q (textbook)
    double alpha = 0;       ///< length of the step
    double beta = 0;        ///< of the direction before in the new one
    double residual2 = 0;   ///< r'r
    double tolerance2 = 0;  ///< `end` becomes `converged` at residual2 <= tolerance2
    // p'M^-1 p / p'Ap is at most the inverse of the least eigenvalue of M A, a step at least that of the largest.
    double span = 0;          ///< p'M^-1 p / r'M r, of the direction that comes
    double least_alpha = 0;   ///< the shortest step so far; 0 before the first
    double most_stretch = 0;  ///< `end` becomes `singular` at alpha * span > most_stretch * least_alpha; 0: never
    std::int32_t iterations = 0;
    End end = End::none;
};

}  // namespace tilespmv::solver
