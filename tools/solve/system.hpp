#pragma once

#include <memory>
#include <span>
#include <string>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/solve.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tools/options/cli_forward.hpp"
#include "tools/solve/solve_result.hpp"

namespace tilespmv::tools {

/// What `solve` is asked: a system, and what is chosen for it unless it is given.
struct SystemOptions {
    std::string source, b;
    std::string preconditioner = "auto", operator_name = "auto", method = "auto", null_space = "none";
    std::string values, device;
    solver::SolveOptions goal;
    int gpus = 0;  ///< 0: not given
    bool skips_symmetry_check = false;
};

/// A, -b and all that is asked of a solve.
void add_system(CLI::App& command, SystemOptions& options);

template <class T>
struct System {
    CsrMatrix<T> a;
    Vectors<T> b;                   ///< right-hand sides
    solver::SolverOptions options;  ///< as asked for
};

/// Loads A and b, and checks that A is symmetric and both are finite; what `auto` chooses operators from is set in
/// `result`. A file without values gets a note on stderr. Throws `Error`.
template <class T>
System<T> load_system(const SystemOptions& options, SolveResult& result);

/// What preconditioners are tried on: the sum of all right-hand sides, each as large as the largest, so that neither
/// their order nor one that is easy decides; of one that one.
template <class T>
Buffer<T> vector_to_try(const Vectors<T>& b);

/// The solver of a system on one device, which tries preconditioners on b if it is to choose one. Sets what `solve`
/// tells of it. Throws `Error`.
template <class T>
std::unique_ptr<solver::Solver<T>> make_solver(CsrMatrix<T> a, std::span<const T> b,
                                               const solver::SolverOptions& options, const solver::SolveOptions& goal,
                                               SolveResult& result);

/// The same over ranks, as many GPUs or groups of threads: M is tried on all of them together, and each chooses its
/// operator.
template <class T>
multi_gpu::RankedSolver<T> make_ranked_solver(const CsrMatrix<T>& a, std::span<const T> b, int ranks,
                                              const solver::SolverOptions& options, const solver::SolveOptions& goal,
                                              SolveResult& result);

/// Vectors with a finite value for each row. Throws `Error`.
template <class T>
Vectors<T> read_sized(const std::string& file, index_t rows);

}  // namespace tilespmv::tools
