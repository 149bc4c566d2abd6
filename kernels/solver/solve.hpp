#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernels/operator.hpp"
#include "kernels/registry.hpp"
#include "kernels/solver/conjugate_gradients.hpp"
#include "kernels/solver/options.hpp"
#include "kernels/solver/preconditioner/host_preconditioner.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "kernels/solver/system_space.hpp"

/// Solves A x = b for a symmetric positive definite A by preconditioned conjugate gradients.
namespace tilespmv::solver {

/// What a solver is made of, for all right-hand sides.
struct SolverOptions {
    Backend backend = Backend::cpu;
    std::string operator_name = "auto";     ///< that multiplies by A, `name[:option=value,...]`
    std::string preconditioner = "jacobi";  ///< `name[:option=value,...]`; `choose_preconditioner` finds one
    std::optional<Method> method{};         ///< none: `default_method`
    bool constant_null_space = false;       ///< A is singular, A * 1 = 0; solutions have no mean
    bool use_persistent_kernel = true;      ///< on a GPU, where that is predicted to win
};

/// textbook on the CPU, where it moves less memory; chronopoulos_gear on a GPU, where a reduction is waited for.
Method default_method(Backend backend);
/// "chronopoulos-gear", "textbook".
std::string_view method_name(Method method);

/// A system whose matrix and preconditioner stay, for one right-hand side after another; one at a time. T: float or
/// double. The same calls give the same bits, on the CPU whatever the number of threads, unless a trial chooses.
template <class T>
class Solver {
public:
    /// Takes A over: square and symmetric, which is not checked (`check_symmetry`). A GPU gets a copy of it. Throws
    /// `Error` for a matrix that is not square, for options as `make_operator` and `make_preconditioner` do, and
    /// `unavailable` without a GPU.
    Solver(CsrMatrix<T> a, const SolverOptions& options);
    /// An operator of the user's on the CPU, and M, null for I: any symmetric positive definite operators of the same
    /// size. They must outlive the solver. Of the options, `method` and `constant_null_space` count.
    Solver(const Operator<T>& a, const Operator<T>* m, const SolverOptions& options = {});
    Solver(const Solver&) = delete;  // the operator views the matrix
    Solver& operator=(const Solver&) = delete;
    ~Solver() = default;

    /// b, x: `size()` values in the memory of the host. How it ended is in the report; throws as
    /// `ConjugateGradients::solve` does.
    SolveReport solve(std::span<const T> b, std::span<T> x, const SolveOptions& options = {});

    /// New values of A, in the order of its CSR form; the pattern stays, and so does the kind of preconditioner.
    /// Allocates nothing, if the operators of A and M read CSR in place (csr-omp on the CPU) or take new values;
    /// operators that do not are made again. Throws `Error` on a wrong size, if A has no such preconditioner, and for a
    /// solver of user's operators.
    void update_values(std::span<const T> values);

    [[nodiscard]] std::size_t size() const { return space_->size(); }
    [[nodiscard]] Method method() const { return method_; }
    /// The operator that multiplies by A, as its table calls it.
    [[nodiscard]] std::string_view operator_name() const { return space_->operator_name(); }
    /// "CPU, 4 threads"
    [[nodiscard]] std::string how() const { return space_->how(); }
    /// Iterations between checks for such options.
    [[nodiscard]] int check_every(const SolveOptions& options) const;
    [[nodiscard]] double preconditioner_seconds() const { return preconditioner_seconds_; }

private:
    void make_cpu_space(const SolverOptions& options);

    CsrMatrix<T> a_;
    Method method_;
    Backend backend_;
    bool constant_null_space_;
    double preconditioner_seconds_ = 0;
    std::unique_ptr<Preconditioner<T>> preconditioner_;
    std::unique_ptr<HostPreconditioner<T>> host_preconditioner_;
    std::unique_ptr<SystemSpace<T>> space_;
    std::unique_ptr<ConjugateGradients<T>> iteration_;
};

/// Throws `Error` that names the first entry (row and column from 1) whose mirror image is not there or differs by more
/// than `tolerance` times the larger of both, and for a matrix that is not square.
template <class T>
void check_symmetry(const CsrMatrix<T>& a, double tolerance);

}  // namespace tilespmv::solver
