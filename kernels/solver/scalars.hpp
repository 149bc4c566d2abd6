#pragma once

#include <cstdint>

#include "kernels/solver/options.hpp"

namespace tilespmv::solver {

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
