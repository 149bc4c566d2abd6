#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/solver/solve.hpp"

namespace tilespmv::solver {

/// What a short trial of a preconditioner showed.
struct PreconditionerTrial {
    std::string specification;
    std::string refusal;  ///< why there is none of this matrix; nothing else is set then
    double setup_seconds = 0;
    double iteration_seconds = 0;
    int iterations = 0;
    double reduction = 1;  ///< the least ||r|| over the first
    End end = End::none;
    /// Setup and as many iterations as the tolerance takes if ||r|| goes on to fall as it did; infinite if the
    /// iteration failed or ||r|| did not even halve: such a preconditioner is never taken.
    double predicted_seconds = 0;
};

struct PreconditionerChoice {
    std::string specification;
    std::string reason;                       ///< one clause
    std::vector<PreconditionerTrial> trials;  ///< in the order of the candidates
};

/// Those worth a trial: none, jacobi, block-jacobi with as many unknowns as rows next to each other share their
/// columns, if they do, and ssor-ai of both orders; on a GPU ssor-ai as one matrix, too.
template <class T>
std::vector<std::string> preconditioner_candidates(const CsrMatrix<T>& a, Backend backend);

/// Tries each candidate on A x = b, for 40 iterations and as many more, up to 400, until ||r|| has fallen by ten, and
/// takes the one of the least predicted time to the tolerance of `goal`. If none may be taken, the choice is jacobi, or
/// none where that cannot be made, and the reason says so. Measures times: the choice may differ from run to run.
template <class T>
PreconditionerChoice choose_preconditioner(const CsrMatrix<T>& a, std::span<const T> b, const SolverOptions& options,
                                           const SolveOptions& goal, std::span<const std::string> candidates);

}  // namespace tilespmv::solver
