#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/solver/choose_preconditioner.hpp"
#include "kernels/solver/options.hpp"
#include "tile/csr.hpp"
#include "tile/types.hpp"

namespace tilespmv {
struct SolverMachine;
}

namespace tilespmv::multi_gpu {

/// Consecutive rows of a matrix (or columns, that is entries of x) for each of several ranks: the parts. A part may be
/// empty.
class Partition {
public:
    /// Part k has rows [starts[k], starts[k + 1]). Throws a usage `Error` unless `starts` begins with 0, does not
    /// descend, and has two entries or more.
    explicit Partition(std::vector<index_t> starts);

    [[nodiscard]] int parts() const { return static_cast<int>(starts_.size()) - 1; }
    /// Rows of all parts together.
    [[nodiscard]] index_t rows() const { return starts_.back(); }
    /// First row of a part, 0 <= part < parts().
    [[nodiscard]] index_t first(int part) const { return starts_[static_cast<std::size_t>(part)]; }
    /// One past its last row.
    [[nodiscard]] index_t end(int part) const { return starts_[static_cast<std::size_t>(part) + 1]; }
    /// Number of its rows.
    [[nodiscard]] index_t size(int part) const { return end(part) - first(part); }
    /// The part that has a row, 0 <= row < rows().
    [[nodiscard]] int owner(index_t row) const;
    [[nodiscard]] std::span<const index_t> starts() const { return starts_; }

    friend bool operator==(const Partition&, const Partition&) = default;

private:
    std::vector<index_t> starts_;  // parts + 1
};

/// What a row costs beside its nonzeros, in nonzeros: an iteration of conjugate gradients moves about 130 bytes a row
/// in float64 (ten reads and writes of the updates, three of the sums, x and y of the product, a row pointer, the
/// diagonal of M), a nonzero of CSR is 12.
inline constexpr offset_t kRowWeight = 11;

/// Parts of as equal sums of nonzeros and row weights as consecutive rows allow. Throws a usage `Error` unless `parts`
/// is at least 1 and `row_weight` at least 0. `row_ptrs`: of a CSR matrix, rows + 1.
Partition partition_by_nonzeros(std::span<const offset_t> row_ptrs, int parts, offset_t row_weight = kRowWeight);

/// Parts of as equal numbers of rows as there can be. Throws a usage `Error` unless `parts` is at least 1.
Partition partition_evenly(index_t rows, int parts);

/// Throws a usage `Error` unless `partition` has `rows` rows in `parts` parts.
void require_partition(const Partition& partition, index_t rows, int parts);

}  // namespace tilespmv::multi_gpu

/// Conjugate gradients over several ranks: threads of this process, each with a part of the rows, on the CPU or with a
/// GPU of its own. All ranks run the same solver over a space that multiplies with the halo of the others and adds sums
/// up in the order of ranks, so that all of them come to the same decisions.
namespace tilespmv::multi_gpu {

/// What a system is made with.
struct RankedOptions {
    int ranks = 1;  ///< at least 1; on GPUs as many of them
    /// Which rows each rank has; none: as `partition_by_nonzeros` divides them.
    std::optional<Partition> partition{};
    /// The operator by which each rank multiplies its interior; "auto" chooses for each rank.
    std::string operator_name = "auto";
    /// `name[:option=value,...]`. Each rank makes it of the square block of its own rows and columns: Jacobi is that of
    /// one rank, exactly; SSOR leaves out what couples ranks, so that iterations grow with them.
    /// "auto": the best of several trials of the rank of the most rows, as `solver::choose_preconditioner` tries them.
    std::string preconditioner = "jacobi";
    /// The recurrence; none: the one of the least predicted time on the rank of the most rows, the same on all.
    std::optional<solver::Method> method{};
    /// Figures to predict by while it is made; null: those of the first GPU, or of a CPU.
    const SolverMachine* machine = nullptr;
    bool constant_null_space = false;  ///< as `solver::SolverOptions` says
    /// GPUs that all reach each other's memory exchange halos and sums there; others, and all without it, by NCCL. The
    /// bits are the same.
    bool use_peer_access = true;
};

/// What one rank has.
struct RankReport {
    index_t rows = 0;
    offset_t interior_nonzeros = 0;  ///< in its own columns
    offset_t boundary_nonzeros = 0;  ///< in columns of others
    std::int64_t halo = 0;           ///< values that it receives for each product
    std::int64_t sent = 0;           ///< values that it sends
    std::string operator_name;
    std::string operator_specification;  ///< the same with its options
    std::string how;                     ///< "CPU, 4 threads"
};

/// Seconds of one product over ranks, the slowest rank's, and of its steps apart, as if nothing ran beside them.
struct ProductTimes {
    double product = 0;   ///< all of it
    double halo = 0;      ///< packing and exchange
    double interior = 0;  ///< see `RankReport`
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

    /// b, x: a value a row of the whole matrix, in the memory of the host. As `solver::Solver::solve`;
    /// `options.on_check` is called by one thread, and all ranks do what it says. After a failure the object is of no
    /// more use.
    solver::SolveReport solve(std::span<const T> b, std::span<T> x, const solver::SolveOptions& options = {});
    /// New values of A, of the same pattern. Throws `Error`, before anything has changed where the pattern is another
    /// one.
    void update_values(const CsrMatrix<T>& a);
    /// y = A x over the ranks, in the memory of the host. Throws `Error` for vectors of another size.
    void multiply(std::span<const T> x, std::span<T> y);
    /// Mean times of `repeats` products, at least 1; throws a usage `Error` for fewer.
    ProductTimes measure_product(int repeats);

    /// Iterations between checks for such options: 1 on the CPU, 32 on GPUs, unless they say.
    [[nodiscard]] int check_every(const solver::SolveOptions& options) const;
    /// The preconditioner, and of `auto` what was tried and why it was taken.
    [[nodiscard]] const solver::PreconditionerChoice& preconditioner_choice() const;
    /// The recurrence, and a clause that says why it was taken; that is empty if it was asked for.
    [[nodiscard]] solver::Method method() const;
    [[nodiscard]] const std::string& method_reason() const;
    /// Which rows each rank has.
    [[nodiscard]] const Partition& partition() const;
    /// A report for each rank.
    [[nodiscard]] std::vector<RankReport> reports() const;

private:
    /// Throws `Error` after a move.
    [[nodiscard]] RankedState<T>& state() const;
    void require_vectors(std::string_view who, std::size_t first, std::size_t second) const;
    void make_preconditioners(const solver::TrialSolve<T>& trial);

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
