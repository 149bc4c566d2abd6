#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// What a check saw.
struct Check {
    int iteration = 0;
    double residual = 0;  ///< ||r||, r as the recurrence has it
};

/// `SolveOptions::rtol` of vectors of T where none is given: float32 does not hold residuals as small as float64.
/// Where ||A|| ||x|| is far above ||b||, the roundings of x alone may leave a larger one: then a solve stagnates.
template <class T>
inline constexpr double kDefaultRtol = sizeof(T) == sizeof(float) ? 1e-4 : 1e-8;

/// How one right-hand side is solved.
struct SolveOptions {
    // A solution is good enough at ||b - A x|| <= max(rtol * ||b||, atol), in the 2-norm.
    std::optional<double> rtol{};  ///< none: `kDefaultRtol` of the type of the vectors
    double atol = 0;
    int max_iterations = 0;  ///< 0: ten times the unknowns, from 1,000 to 100,000
    int check_every = 0;     ///< iterations between looks at the residual; 0: 1 on the CPU, 32 on a GPU
    /// Iterations between comparisons of r with b - A x, at the check after them.
    int compare_every = 500;
    /// Without a smaller ||r|| for as many iterations the solve has stagnated; 0: as many as unknowns, from 1,000 to
    /// 10,000.
    int stagnation_iterations = 0;
    bool start_from_x = false;  ///< x holds a first guess; otherwise it is 0
    /// Called at every check; false ends the solve.
    std::function<bool(const Check&)> on_check{};
};

/// Throws a usage `Error` for tolerances and numbers that are out of range.
void check_options(const SolveOptions& options);

/// What came of it.
struct SolveReport {
    End end = End::none;
    int iterations = 0;    ///< all of them, after restarts, too
    int restarts = 0;      ///< because r and b - A x differed
    double rhs_norm = 0;   ///< ||b||, without its mean where the null space is kept out
    double tolerance = 0;  ///< max(rtol * ||b||, atol)
    double first_residual = 0;
    double residual = 0;         ///< ||b - A x||, computed from the x that is returned
    std::vector<Check> history;  ///< the start and every check: never empty
    double seconds = 0;          ///< of the solve, copies of b and x included
    [[nodiscard]] bool converged() const { return end == End::converged; }
};

/// One clause without a full stop that says how a solve ended, such as "converged in 120 iterations".
std::string describe(const SolveReport& report);
/// "converged", "limit", "stagnated", "singular", "not positive definite", "not a number", "stopped".
std::string_view end_name(End end);

}  // namespace tilespmv::solver
