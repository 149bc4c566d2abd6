#pragma once

#include <optional>
#include <string>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/fuzz/random_matrix.hpp"

namespace tilespmv::fuzz {

/// How a system is solved.
struct SolveRequest {
    solver::SolverOptions options;
    solver::SolveOptions goal;
    int ranks = 0;  ///< 0: by a `Solver`
    std::optional<multi_gpu::Partition> partition{};
    int threads = 1;
    bool checks_symmetry = true;
    bool fits = true;     ///< false: an `Error` must say that an option is wrong
    bool is_easy = true;  ///< no option keeps a solve from ending well
    std::string description;
};

/// Any preconditioner with any of its options, recurrence, goal and place on the CPU; some that do not fit.
SolveRequest random_request(Random& random);

}  // namespace tilespmv::fuzz
