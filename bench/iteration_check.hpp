#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/solver_contest.hpp"

/// Whether ours needs as many iterations as textbook PCG on the CPU does with the same preconditioner.
namespace tilespmv::bench {

/// What is allowed, and up to how many iterations it is asked for: behind them rounding decides.
inline constexpr double kMostDeviation = 0.02;
inline constexpr int kComparedIterations = 1000;

/// Of one system the way of ours that deviates the most.
struct IterationCheck {
    std::string system;
    std::string way;
    int iterations = 0;
    int reference = 0;
    bool converged = false;            ///< that way
    bool reference_converged = false;  ///< without which there is nothing to compare with

    /// |iterations - reference| / reference
    [[nodiscard]] double deviation() const;
    /// Whether the reference converges in fewer iterations than are compared.
    [[nodiscard]] bool counts() const;
    /// Converged, and within what is allowed or an iteration.
    [[nodiscard]] bool agrees() const;
};

/// None where there is no reference, or nothing of ours was measured.
std::optional<IterationCheck> check_iterations(const std::string& system, std::span<const SolverTiming> timings);

/// "iterations: 250 (default), reference 249: 0.4% apart"
std::string describe(const IterationCheck& check);
/// The worst of all that count, with how many agree; and all that do not.
std::string summary_of(std::span<const IterationCheck> checks);
/// All that count agree.
bool all_agree(std::span<const IterationCheck> checks);

}  // namespace tilespmv::bench
