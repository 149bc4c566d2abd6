// Solves A x = b from files, A symmetric positive definite, by conjugate gradients; everything is chosen for A and b.
#include <iostream>
#include <utility>
#include <vector>

#include <tilespmv/kernels/solver/solve.hpp>
#include <tilespmv/tile/error.hpp>
#include <tilespmv/tile/matrix_market/matrix_market.hpp>

namespace solver = tilespmv::solver;

int main(int argc, char** argv) try {
    if (argc != 2) throw tilespmv::Error("usage: solve_system A.mtx", tilespmv::ExitCode::usage);
    auto a = tilespmv::read_matrix_market<double>(argv[1]);
    solver::check_symmetry(a, 1e-14);
    const std::vector<double> b(static_cast<std::size_t>(a.rows), 1.0);
    std::vector<double> x(b.size());

    // Backend::cuda for a GPU; A may be there already (cuda::DeviceCsrView). "auto" tries preconditioners on b.
    const solver::SolverOptions options{.backend = tilespmv::Backend::cpu, .preconditioner = "auto"};
    solver::Solver<double> system(std::move(a), options, {b});
    const auto& choice = system.preconditioner_choice();  // with what each trial showed
    std::cout << "preconditioner: " << choice.specification << ", " << choice.reason << '\n';

    const auto report = system.solve(b, x);  // one right-hand side after another; update_values: new values of A
    std::cout << describe(report) << '\n';
    return report.converged() ? 0 : 1;
} catch (const tilespmv::Error& error) {
    std::cerr << "solve_system: " << error.what() << '\n';
    return static_cast<int>(error.code());
}
