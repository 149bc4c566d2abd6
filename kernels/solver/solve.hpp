#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernels/registry.hpp"
#include "kernels/solver/choose_preconditioner.hpp"
#include "kernels/solver/options.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"

namespace tilespmv {
struct IteratedSystem;
struct SolverMachine;
}  // namespace tilespmv

/// Solves A x = b for a symmetric positive definite A by preconditioned conjugate gradients.
namespace tilespmv::solver {

template <class T>
class ConjugateGradients;
template <class T>
struct SystemMatrix;
template <class T>
class SystemSpace;

/// What a solver is made of, for all right-hand sides.
struct SolverOptions {
    Backend backend = Backend::cpu;          ///< where the vectors live and iterations run
    std::string operator_name = "auto";      ///< operator that multiplies by A, `name[:option=value,...]`
    std::string preconditioner = "jacobi";   ///< `name[:option=value,...]`; "auto": the best of several trials
    std::optional<Method> method{};          ///< none: the one of the least predicted time
    const SolverMachine* machine = nullptr;  ///< figures to predict by while it is made; null: those of this machine
    bool constant_null_space = false;        ///< A is singular, A * 1 = 0, which is checked; solutions have no mean
    // On a GPU.
    bool use_persistent_kernel = true;    ///< for blocks of iterations, where that is predicted to win
    bool persistent_at_any_size = false;  ///< wherever it can be done; `Error` where it cannot
};

/// "chronopoulos-gear", "textbook".
std::string_view method_name(Method method);

/// A system whose matrix and preconditioner stay, for one right-hand side after another; one at a time. T: float or
/// double. The same calls give the same bits, on the CPU whatever the number of threads, unless a trial chooses.
template <class T>
class Solver {
public:
    /// Takes A over: square and symmetric, which is not checked (`check_symmetry`). A GPU gets a copy of it. The
    /// preconditioner `auto` is chosen by `choose_preconditioner` from `kPreconditionerCandidates`, on `trial`;
    /// `preconditioner_choice` says what was tried and why. Throws `Error` for a matrix that is not square, for options
    /// as `make_operator` and `make_preconditioner` do, and `unavailable` without a GPU.
    Solver(CsrMatrix<T> a, const SolverOptions& options, const TrialSolve<T>& trial = {});
    /// With an M that was made of this A by `make_preconditioner`, or is the caller's own. Of the options,
    /// `preconditioner` does not count. The solver changes the values of M in `update_values`. Throws `Error` for a
    /// null M and one of another size, too.
    Solver(CsrMatrix<T> a, std::shared_ptr<Preconditioner<T>> m, const SolverOptions& options);
    /// Operators of the user's, both on the CPU or both on the current GPU, as `options.backend` says; M may be null
    /// for I. Symmetric positive definite and of the same size; they must outlive the solver, and what is made of them
    /// must be complete. Of the other options, `method`, `machine` and `constant_null_space` count. Throws `Error` for
    /// other sizes, and of an operator that is not on the GPU if it should be.
    Solver(const Operator<T>& a, const Operator<T>* m, const SolverOptions& options = {});
    /// A matrix in the memory of the current GPU, whose arrays must outlive the solver; work on them must be complete.
    /// Of an operator by a name that reads CSR in place (`tilespmv info`) it is multiplied where it lies; others,
    /// `auto` among them, have a copy. M is made, checked and tried on the GPU, too: A comes to the host only where
    /// something is wrong, to say what. `by`: an operator of this matrix on this GPU, which then multiplies instead of
    /// one that is made; it must outlive the solver, others may use it meanwhile in other workspaces, and new values it
    /// gets from its owner. `backend` does not count. Throws as the constructor for a matrix of the host's.
    Solver(const cuda::DeviceCsrView<T>& a, const SolverOptions& options, const TrialSolve<T>& trial = {},
           const Operator<T>* by = nullptr);
    /// The same with an M that was made of this A.
    Solver(const cuda::DeviceCsrView<T>& a, std::shared_ptr<Preconditioner<T>> m, const SolverOptions& options,
           const Operator<T>* by = nullptr);
    Solver(const Solver&) = delete;  // the operator views the matrix
    Solver& operator=(const Solver&) = delete;
    ~Solver();

    /// b, x: `size()` values in the memory of the host. x is written at every end; how it ended is in the report. A b
    /// that is far from 1 is solved for times a power of two, and so is x. A first guess counts as 0 if it has values
    /// that are no numbers, or a residual so large that its rounding is larger than b. Throws `Error` for vectors of
    /// another size and for options that are out of range.
    SolveReport solve(std::span<const T> b, std::span<T> x, const SolveOptions& options = {});

    /// The same with b and x in the memory of the GPU of the solver, without a way over the host. They do not overlap;
    /// work on them must be complete, and x is when it returns. Throws `Error` for a solver on the CPU, too.
    SolveReport solve(cuda::DeviceSpan<const T> b, cuda::DeviceSpan<T> x, const SolveOptions& options = {});

    /// What solves for a copy of b where it iterates, as often as it is called, and keeps no x: for trials, which are
    /// to measure iterations. It must not outlive the solver.
    std::function<SolveReport(const SolveOptions&)> load(std::span<const T> b);

    /// New values of A, in the order of its CSR form; the pattern stays, and so does the kind of preconditioner, that
    /// which `auto` took, too.
    /// Allocates nothing, if the operators of A and M read CSR in place or take new values, as all do that `auto`
    /// takes, but for the first ones, for which tile-omp makes a map and operators on a GPU room; others are made
    /// again. Throws `Error` on a wrong size, for a solver of user's operators, and if A has no such preconditioner:
    /// then other values are needed before the next solve.
    void update_values(std::span<const T> values);
    /// Of a matrix on a GPU: its arrays have new values, on which work is complete. Throws `Error` for other solvers.
    void take_new_values();

    /// Rows of A.
    [[nodiscard]] std::size_t size() const;
    /// The recurrence.
    [[nodiscard]] Method method() const { return method_; }
    /// The preconditioner, and of `auto` what was tried and why it was taken; of a solver of user's operators nothing.
    [[nodiscard]] const PreconditionerChoice& preconditioner_choice() const { return preconditioner_choice_; }
    /// A clause that says why this recurrence was taken; empty if it was asked for.
    [[nodiscard]] const std::string& method_reason() const { return method_reason_; }
    /// The operator that multiplies by A, as its table calls it.
    [[nodiscard]] std::string_view operator_name() const;
    /// The operator with its options, `name[:option=value,...]`; of `auto` the one that it took.
    [[nodiscard]] std::string_view operator_specification() const;
    /// Where it runs, such as "CPU, 4 threads".
    [[nodiscard]] std::string how() const;
    /// Whether one kernel on a GPU does blocks of iterations; otherwise they are graphs.
    [[nodiscard]] bool is_persistent() const;
    /// Iterations between checks for such options.
    [[nodiscard]] int check_every(const SolveOptions& options) const;

private:
    [[nodiscard]] SystemMatrix<T> matrix() const;
    void follow_values();
    void require_ready() const;
    template <class Matrix, class... By>
    void set_up(const Matrix& a, const SolverOptions& options, const TrialSolve<T>& trial, const By*... by);
    void make_space(const SolverOptions& options, const Operator<T>* by = nullptr);
    void make_iteration(const SolverOptions& options);
    [[nodiscard]] IteratedSystem describe_system(bool constant_null_space) const;

    CsrMatrix<T> a_;  ///< on the host; empty if `on_device_` is set, and of operators of the caller's
    std::optional<cuda::DeviceCsrView<T>> on_device_;
    Method method_{};
    std::string method_reason_;
    Backend backend_;
    bool is_ready_ = true;
    PreconditionerChoice preconditioner_choice_;
    std::shared_ptr<Preconditioner<T>> preconditioner_;
    std::unique_ptr<SystemSpace<T>> space_;
    std::unique_ptr<ConjugateGradients<T>> iteration_;
};

/// Throws `Error` that names the first entry (row and column from 1) that differs from its mirror image, 0 if it is not
/// there, by more than `tolerance` times the largest of both and of the square root of the product of their diagonals:
/// no entry of a positive definite matrix is larger, so that this is the size of what a sum of elements rounds. Also
/// for a matrix that is not square. NaN is left to the iteration to find.
template <class T>
void check_symmetry(const CsrMatrix<T>& a, double tolerance);
/// The same of a matrix in the memory of the current GPU, which is copied to the host only if it looks as if it were
/// not symmetric. Work on its arrays must be complete.
template <class T>
void check_symmetry(const cuda::DeviceCsrView<T>& a, double tolerance);

/// Throws `Error` that names the first row whose entries do not add up to 0, beside the size of the row.
template <class T>
void check_constant_null_space(const CsrMatrix<T>& a);
/// The same of a matrix in the memory of the current GPU, as `check_symmetry`.
template <class T>
void check_constant_null_space(const cuda::DeviceCsrView<T>& a);

}  // namespace tilespmv::solver
