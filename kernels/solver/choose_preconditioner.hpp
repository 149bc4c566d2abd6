#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/registry.hpp"
#include "kernels/solver/options.hpp"
#include "tile/csr.hpp"

namespace tilespmv::solver {

template <class T>
class Preconditioner;
struct SolverOptions;

/// What preconditioners are tried on.
template <class T>
struct TrialSolve {
    /// A value a row, in the memory of the host; empty, or solved for by x = 0: A times a vector that varies from row
    /// to row, so that it is no zero where A * 1 is.
    std::span<const T> b{};
    SolveOptions goal{};  ///< `max_iterations`, `start_from_x` and `on_check` do not count
};

/// What a short trial of a preconditioner showed.
struct PreconditionerTrial {
    std::string specification;     ///< `name[:option=value,...]`
    std::string refusal{};         ///< why there is none of this matrix; nothing else is set then
    double setup_seconds = 0;      ///< to make it
    double iteration_seconds = 0;  ///< of one
    int iterations = 0;            ///< that were done
    double reduction = 1;          ///< the least ||r|| over the first
    End end = End::none;
    /// Setup and as many iterations as the tolerance takes if ||r|| goes on to fall as it did; infinite if the
    /// iteration failed or ||r|| did not even halve: such a preconditioner is never taken.
    double predicted_seconds = 0;
};

/// Which preconditioner, and why.
struct PreconditionerChoice {
    std::string specification{};                ///< `name[:option=value,...]`
    std::string reason{};                       ///< one clause; empty if it was asked for
    std::vector<PreconditionerTrial> trials{};  ///< in the order of the candidates; none if it was asked for
    double seconds = 0;  ///< that it took to find out, without those that made the one that is taken
};

/// Preconditioners that are worth a trial, from the simplest to the most expensive: `name[:option=value,...]` each.
inline const std::vector<std::string> kPreconditionerCandidates{"none", "jacobi", "ssor-ai"};

/// A choice with its M, so that nobody makes it a second time.
template <class T>
struct ChosenPreconditioner {
    PreconditionerChoice choice;
    std::shared_ptr<Preconditioner<T>> made;  ///< null if it was not among those tried
};

/// Tries each candidate on A x = b, for 40 iterations and as many more, up to 400, until ||r|| has fallen by ten, and
/// takes the one of the least predicted time to the tolerance of `trial.goal`. If none may be taken, the choice is
/// jacobi, or none where that cannot be made, and the reason says so. Of `options`, `preconditioner` does not count.
/// A: on the host, as a `Solver` takes it. Measures times: the choice may differ from run to run. Throws `Error` for a
/// b of another size, without candidates, and what is no fault of a candidate's as `Solver` does (`usage`,
/// `unavailable`).
template <class T>
ChosenPreconditioner<T> choose_preconditioner(const CsrMatrix<T>& a, const SolverOptions& options,
                                              const TrialSolve<T>& trial = {},
                                              std::span<const std::string> candidates = kPreconditionerCandidates);
/// The same of a matrix on the current GPU, where all is made and tried. Its arrays must outlive what is made. `by`: as
/// for `Solver`.
template <class T>
ChosenPreconditioner<T> choose_preconditioner(const cuda::DeviceCsrView<T>& a, const SolverOptions& options,
                                              const TrialSolve<T>& trial = {}, const Operator<T>* by = nullptr,
                                              std::span<const std::string> candidates = kPreconditionerCandidates);

}  // namespace tilespmv::solver
