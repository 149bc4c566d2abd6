#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/solver/options.hpp"

namespace tilespmv::solver {

template <class T>
class Preconditioner;

/// As the preconditioner of a `Solver`: the one that `choose_preconditioner` takes.
inline constexpr std::string_view kAutoPreconditioner = "auto";

/// What preconditioners are tried on.
template <class T>
struct TrialSolve {
    /// A value a row, in the memory of the host; empty, or solved for by x = 0: A times a vector that varies from row
    /// to row, so that it is no zero where A * 1 is.
    std::span<const T> b{};
    SolveOptions goal{};  ///< `max_iterations`, `start_from_x` and `on_check` do not count
};

/// A way to apply a preconditioner, as a model sees it.
struct PreconditionerForm {
    std::string name{};        ///< "factors"
    int products = 0;          ///< with sparse matrices, one after the other
    double nonzeros = 0;       ///< of those; by a sample if they were not made
    double seconds = 0;        ///< predicted, to apply it once; infinite if it was not made, as it cannot pay
    double setup_seconds = 0;  ///< to make it; estimated if it was not
};

/// What is tried.
template <class T>
struct PreconditionerCandidate {
    std::string specification;  ///< `name[:option=value,...]`
    /// If it can be applied in several forms: the one that is tried, then the others.
    std::vector<PreconditionerForm> forms{};
    /// If it was made of A already, in the `setup_seconds` of the first form.
    std::shared_ptr<Preconditioner<T>> made{};
};

/// What a short trial of a preconditioner showed.
struct PreconditionerTrial {
    std::string specification;
    std::string refusal{};  ///< why there is none of this matrix; nothing else is set then
    double setup_seconds = 0;
    double iteration_seconds = 0;
    int iterations = 0;
    double reduction = 1;  ///< the least ||r|| over the first
    End end = End::none;
    /// Setup and as many iterations as the tolerance takes if ||r|| goes on to fall as it did; infinite if the
    /// iteration failed or ||r|| did not even halve: such a preconditioner is never taken.
    double predicted_seconds = 0;
    std::vector<PreconditionerForm> forms{};  ///< as the candidate has them
};

/// Which preconditioner, and why.
struct PreconditionerChoice {
    std::string specification{};
    std::string reason{};                       ///< one clause; empty if it was asked for
    std::vector<PreconditionerTrial> trials{};  ///< in the order of the candidates; none if it was asked for
    double seconds = 0;  ///< that it took to find out, without those that made the one that is taken
};

}  // namespace tilespmv::solver
