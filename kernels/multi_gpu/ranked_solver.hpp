#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/multi_gpu/partition.hpp"
#include "kernels/solver/options.hpp"
#include "kernels/solver/preconditioner_choice.hpp"
#include "kernels/solver/scalars.hpp"
#include "kernels/solver/vector_shapes.hpp"
#include "selector/models/solver_model.hpp"
#include "tile/csr.hpp"

/// Conjugate gradients over several ranks: threads of this process, each with a part of the rows, on the CPU or with a
/// GPU of its own. All ranks run the same solver over a space that multiplies with the halo of the others and adds sums
/// up in the order of ranks, so that all of them come to the same decisions.
namespace tilespmv::multi_gpu {

/// What one rank has in place of what is the same for all.
struct RankChoice {
    std::string operator_name{};  ///< empty: that of all ranks
    /// On a GPU: of kernels over vectors, in place of those that models choose.
    std::vector<solver::KernelShape> vector_shapes{};
};

/// What a system is made with.
struct RankedOptions {
    int ranks = 1;
    /// Of the rows, a part a rank; if there is none, `partition_by_nonzeros`.
    std::optional<Partition> partition{};
    /// Parts start at multiples of it, and of the blocks of block Jacobi.
    index_t block = 1;
    /// That each rank multiplies its interior by, converted if need be; "auto" chooses for each.
    std::string operator_name = "auto";
    std::vector<RankChoice> choices{};  ///< none, or one a rank
    /// `name[:option=value,...]`. Each rank makes it of the square block of its own rows and columns: Jacobi and block
    /// Jacobi are those of one rank, exactly; SSOR leaves out what couples ranks, so that iterations grow with them.
    /// "auto": the best of several trials over all ranks, as `solver::choose_preconditioner` tries them.
    std::string preconditioner = "jacobi";
    /// None: the one of the least predicted time on the rank of the most rows (`choose_recurrence`), the same on all.
    std::optional<solver::Method> method{};
    std::optional<SolverMachine> machine{};  ///< figures to predict by; none: those of the first GPU, or of a CPU
    bool constant_null_space = false;
    /// GPUs that all reach each other's memory exchange halos and sums there; others, and all without it, by NCCL. The
    /// bits are the same.
    bool use_peer_access = true;

    [[nodiscard]] const std::string& operator_of(int rank) const {
        const auto number = static_cast<std::size_t>(rank);
        return number < choices.size() && !choices[number].operator_name.empty() ? choices[number].operator_name
                                                                                 : operator_name;
    }
};

/// What one rank has.
struct RankReport {
    index_t rows = 0;
    offset_t interior_nonzeros = 0;
    offset_t boundary_nonzeros = 0;
    std::int64_t halo = 0;  ///< values that it receives for each product
    std::int64_t sent = 0;  ///< values that it sends
    std::string operator_name;
    std::string operator_specification;              ///< the same with its options
    std::string how;                                 ///< "CPU, 4 threads"
    std::vector<solver::KernelShape> vector_shapes;  ///< of a GPU
};

/// Seconds of one product over ranks, the slowest rank's, and of its steps apart, as if nothing ran beside them.
struct ProductTimes {
    double product = 0;
    double halo = 0;  ///< packing and exchange
    double interior = 0;
    double boundary = 0;
};

/// The system of one rank, by the thread that runs it.
template <class T>
class RankSystem;
template <class T>
class RankBackend;
template <class T>
struct RankedState;

/// A, M and vectors in the memory of ranks, for one right-hand side after the other. T: float or double.
template <class T>
class RankedSolver {
public:
    /// `a`: square, symmetric; not needed afterwards. Throws `Error`: usage for a partition or names that do not fit,
    /// and what any rank fails by, with its rank; then the ranks are gone. `auto` tries preconditioners on `trial`.
    RankedSolver(const CsrMatrix<T>& a, const RankedOptions& options, std::unique_ptr<RankBackend<T>> backend,
                 const solver::TrialSolve<T>& trial = {});
    RankedSolver(RankedSolver&&) noexcept;
    ~RankedSolver();

    /// b, x: a value a row of the whole matrix, in the memory of the host. As `solver::ConjugateGradients::solve`;
    /// `options.on_check` is called by one thread, and all ranks do what it says. After a failure the object is of no
    /// more use.
    solver::SolveReport solve(std::span<const T> b, std::span<T> x, const solver::SolveOptions& options = {});
    /// New values of A, of the same pattern. Throws `Error`, before anything has changed where the pattern is another
    /// one.
    void update_values(const CsrMatrix<T>& a);
    /// y = A x over the ranks. Throws `Error` for vectors of another size.
    void multiply(std::span<const T> x, std::span<T> y);
    /// Of `repeats` products.
    ProductTimes measure_product(int repeats);

    /// Iterations between checks for such options: 1 on the CPU, 32 on GPUs, unless they say.
    [[nodiscard]] int check_every(const solver::SolveOptions& options) const;
    /// The preconditioner, and of `auto` what was tried and why it was taken.
    [[nodiscard]] const solver::PreconditionerChoice& preconditioner_choice() const;
    /// The recurrence, and a clause that says why; empty if it was asked for.
    [[nodiscard]] solver::Method method() const;
    [[nodiscard]] const std::string& method_reason() const;
    [[nodiscard]] const Partition& partition() const;
    /// One for each rank.
    [[nodiscard]] std::vector<RankReport> reports() const;

private:
    /// Throws `Error` after a move.
    [[nodiscard]] RankedState<T>& state() const;
    void require_vectors(std::string_view who, std::size_t first, std::size_t second) const;
    void make_preconditioners(const CsrMatrix<T>& a, const solver::TrialSolve<T>& trial);

    std::unique_ptr<RankedState<T>> state_;
};

/// With ranks on the CPU, which share its threads: to test what several GPUs would compute.
template <class T>
RankedSolver<T> make_cpu_ranked_solver(const CsrMatrix<T>& a, const RankedOptions& options,
                                       const solver::TrialSolve<T>& trial = {});

/// With GPUs 0 .. ranks - 1. Throws `Error`, `unavailable` where there are fewer (saying how many), one is too old, or
/// two or more that do not reach each other's memory were asked for and this build has no NCCL.
template <class T>
RankedSolver<T> make_gpu_ranked_solver(const CsrMatrix<T>& a, const RankedOptions& options,
                                       const solver::TrialSolve<T>& trial = {});

}  // namespace tilespmv::multi_gpu
