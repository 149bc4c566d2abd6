#pragma once

#include <string>

#include "kernels/solver/solve.hpp"
#include "tools/solve/solve_result.hpp"
#include "tools/solve/system.hpp"

namespace tilespmv::tools {

/// A solver as a program: texts of its files.
struct SolverProgram {
    std::string main;    ///< main.cpp
    std::string cmake;   ///< CMakeLists.txt
    std::string readme;  ///< README.md: how to build it, why it is as it is
};

/// The program that solves with what `result` says was chosen, and these options else, to the goal that was asked for.
/// A pure function.
SolverProgram solver_program(const SolveResult& result, const solver::SolverOptions& options,
                             const SystemOptions& asked);

}  // namespace tilespmv::tools
