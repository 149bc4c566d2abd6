#include "kernels/multi_gpu/ranked_solver.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "kernels/multi_gpu/ranked_state.hpp"
#include "kernels/require_square.hpp"
#include "kernels/solver/conjugate_gradients.hpp"
#include "kernels/solver/solve.hpp"
#include "kernels/solver/solver_machine.hpp"
#include "kernels/solver/solver_model.hpp"
#include "kernels/solver/system_space.hpp"
#include "tile/error.hpp"

namespace tilespmv::multi_gpu {
namespace {

/// Refuses a wrong name before any rank is there, by the smallest matrix there is.
template <class T>
void require_preconditioner(const std::string& name) {
    if (name == solver::kAutoPreconditioner) return;
    const CsrMatrix<T> one{1, 1, {0, 1}, {0}, {T{1}}};
    static_cast<void>(solver::make_preconditioner<T>(name, one));
}

template <class T>
Partition partition_for(const CsrMatrix<T>& a, const RankedOptions& options) {
    require_square(a, "to solve");
    if (options.constant_null_space) solver::check_constant_null_space(a);
    require_preconditioner<T>(options.preconditioner);
    if (options.partition) {
        require_partition(*options.partition, a.rows, options.ranks);
        return *options.partition;
    }
    return partition_by_nonzeros({a.row_ptrs.data(), a.row_ptrs.size()}, options.ranks);
}

template <class T>
std::unique_ptr<RankBackend<T>> of_ranks(int ranks, std::unique_ptr<RankBackend<T>> backend) {
    if (!backend) throw Error("a solver over ranks needs a backend, found a null pointer");
    const int there = backend->group().meeting().ranks();
    if (there != ranks) throw Error(fmt::format("a backend of {} ranks for {} ranks", there, ranks), ExitCode::usage);
    return backend;
}

template <class V>
std::span<V> own(std::span<V> of_all, const HaloPlan& plan) {
    return of_all.subspan(static_cast<std::size_t>(plan.first_row), static_cast<std::size_t>(plan.rows));
}

/// Of the most rows, by which recurrences differ; what the product reads is the same for all of them.
template <class T>
const RankState<T>& largest_rank(const RankedState<T>& state) {
    return *std::ranges::max_element(state.ranks, {}, [](const RankState<T>& rank) { return rank.plan.rows; });
}

template <class T>
IteratedSystem describe_system(const RankedState<T>& state) {
    const RankState<T>& rank = largest_rank(state);
    const double rows = rank.plan.rows;
    const auto nonzeros = static_cast<double>(rank.matrix.interior.nnz() + rank.matrix.boundary.nnz());
    return {.rows = rows,
            .value_bytes = sizeof(T),
            .matrix_bytes = csr_bytes(rows, nonzeros, sizeof(T)),
            .fuses_diagonal = rank.preconditioner->parts().is_diagonal() && !state.options.constant_null_space,
            .is_over_ranks = state.ranks.size() > 1};
}

/// Sets the recurrence of all ranks, and why: the one that is asked for, or the one of the least predicted time.
/// Matrices and preconditioners of the ranks are there.
template <class T>
void choose_method(RankedState<T>& state) {
    const RankedOptions& options = state.options;
    if (options.method) {
        state.method = *options.method;
        return;
    }
    if (options.machine == nullptr) state.backend->enter(0);
    const SolverMachine machine =
        options.machine != nullptr ? *options.machine : solver::solver_machine(state.backend->backend(), sizeof(T));
    const RecurrenceChoice choice = choose_recurrence(describe_system(state), machine);
    state.method = solver::method_of(choice);
    state.method_reason = choice.why;
}

/// By trials of the rank of the most rows, on its interior alone.
template <class T>
void choose_preconditioner_of(RankedState<T>& state, const solver::TrialSolve<T>& trial) {
    const auto rows = static_cast<std::size_t>(state.partition.rows());
    if (!trial.b.empty() && trial.b.size() != rows) {
        throw Error(fmt::format("to try preconditioners needs a b of {} values, found {}", rows, trial.b.size()));
    }
    const auto& largest = largest_rank(state);
    state.on_ranks([&](RankState<T>& rank) {
        if (&rank != &largest) return;
        const solver::SolverOptions options{
            .backend = state.backend->backend(),
            .operator_name = state.options.operator_name,
            .machine = state.options.machine,
            .constant_null_space = state.options.constant_null_space && state.ranks.size() == 1,
            .use_persistent_kernel = false};
        solver::TrialSolve<T> of_rank{.goal = trial.goal};
        if (!trial.b.empty()) of_rank.b = own(trial.b, rank.plan);
        auto chosen = solver::choose_preconditioner(rank.matrix.interior, options, of_rank);
        state.choice = std::move(chosen.choice);
        rank.preconditioner = std::move(chosen.made);
    });
}

/// `asked` with a question that one rank asks and all hear the answer to.
template <class T>
solver::SolveOptions asked_once(RankedState<T>& state, const solver::SolveOptions& asked, const RankState<T>& rank) {
    solver::SolveOptions mine = asked;
    if (!asked.on_check || state.ranks.size() == 1) return mine;
    mine.on_check = [&state, number = rank.plan.rank, on_check = asked.on_check](const solver::Check& check) {
        const double goes_on = number == 0 && on_check(check) ? 1 : 0;
        std::vector<double> all(state.ranks.size());
        state.backend->group().communicator(number).all_gather(&goes_on, 1, all.data(), nullptr);
        return all.front() != 0;
    };
    return mine;
}

template <class T>
RankReport describe(RankState<T>& rank) {
    auto& space = rank.system->space();
    return {rank.plan.rows,
            rank.matrix.interior.nnz(),
            rank.matrix.boundary.nnz(),
            rank.plan.halo_size(),
            static_cast<std::int64_t>(rank.plan.sent.size()),
            std::string(space.operator_name()),
            std::string(space.operator_specification()),
            space.how()};
}

}  // namespace

template <class T>
RankedState<T>::~RankedState() {
    // A GPU that has failed may not let itself be chosen any more.
    const auto enter_if_possible = [this](int rank) noexcept {
        try {
            backend->enter(rank);
        } catch (const Error&) {
            return;
        }
    };
    for (RankState<T>& rank : ranks) {
        enter_if_possible(rank.plan.rank);
        drop_system(rank);
    }
    enter_if_possible(0);
}

template <class T>
void RankedState<T>::make_system(RankState<T>& rank) {
    rank.system = backend->make_system(rank.plan.rank, {&rank.matrix, &rank.plan, &rank.preconditioner->parts(),
                                                        &options, static_cast<std::size_t>(partition.rows())});
    rank.gradients =
        std::make_unique<solver::ConjugateGradients<T>>(rank.system->space(), method, options.constant_null_space);
}

template <class T>
void RankedState<T>::drop_system(RankState<T>& rank) {
    rank.gradients.reset();
    rank.system.reset();
}

template <class T>
int RankedState<T>::check_every(const solver::SolveOptions& asked) const {
    return asked.check_every != 0 ? asked.check_every : backend->check_every();
}

template <class T>
solver::SolveReport RankedState<T>::solve(std::span<const T> b, std::span<T> x, const solver::SolveOptions& asked) {
    check_options(asked);  // before ranks fail by them
    solver::SolveOptions filled = asked;
    filled.check_every = check_every(asked);
    solver::SolveReport report;
    on_ranks([&](RankState<T>& rank) {
        auto mine = rank.gradients->solve(own(b, rank.plan), own(x, rank.plan), asked_once(*this, filled, rank));
        if (rank.plan.rank == 0) report = std::move(mine);
    });
    return report;
}

template <class T>
RankedSolver<T>::RankedSolver(const CsrMatrix<T>& a, const RankedOptions& options,
                              std::unique_ptr<RankBackend<T>> backend, const solver::TrialSolve<T>& trial)
    : state_(new RankedState<T>{
          of_ranks(options.ranks, std::move(backend)), options, partition_for(a, options), {}, {}, {}, {}}) {
    for (HaloPlan& plan : make_halo_plans(a, state_->partition, state_->partition)) {
        state_->ranks.emplace_back().plan = std::move(plan);
    }
    state_->on_ranks([&](RankState<T>& rank) { rank.matrix = make_rank_matrix(a, rank.plan); });
    make_preconditioners(trial);
    choose_method(*state_);
    state_->on_ranks([&](RankState<T>& rank) {
        state_->make_system(rank);
        rank.x = rank.system->space().make_vector();
        rank.y = rank.system->space().make_vector();
        rank.report = describe(rank);
    });
}

template <class T>
void RankedSolver<T>::make_preconditioners(const solver::TrialSolve<T>& trial) {
    auto& name = state_->options.preconditioner;
    if (name == solver::kAutoPreconditioner) {
        choose_preconditioner_of(*state_, trial);
        name = state_->choice.specification;
    }
    state_->choice.specification = name;
    state_->on_ranks([&](RankState<T>& rank) {
        if (!rank.preconditioner) rank.preconditioner = solver::make_preconditioner<T>(name, rank.matrix.interior);
    });
}

template <class T>
RankedSolver<T>::RankedSolver(RankedSolver&&) noexcept = default;

template <class T>
RankedSolver<T>::~RankedSolver() = default;

template <class T>
RankedState<T>& RankedSolver<T>::state() const {
    if (state_) return *state_;
    throw Error("this solver over ranks was moved to another one");
}

/// Vectors with a value a row.
template <class T>
void RankedSolver<T>::require_vectors(std::string_view who, std::size_t first, std::size_t second) const {
    const auto rows = static_cast<std::size_t>(state().partition.rows());
    if (first == rows && second == rows) return;
    throw Error(fmt::format("{} of {} values, found {} and {}", who, rows, first, second));
}

template <class T>
solver::SolveReport RankedSolver<T>::solve(std::span<const T> b, std::span<T> x, const solver::SolveOptions& options) {
    require_vectors("a solve needs b and x", b.size(), x.size());
    return state().solve(b, x, options);
}

template <class T>
void RankedSolver<T>::update_values(const CsrMatrix<T>& a) {
    require_square(a, "to solve");
    require_partition(state().partition, a.rows, state().partition.parts());
    for (const RankState<T>& rank : state().ranks) require_pattern(a, rank.plan, rank.matrix);
    if (state().options.constant_null_space) solver::check_constant_null_space(a);
    state().on_ranks([&](RankState<T>& rank) {
        copy_values(a, rank.plan, rank.matrix);
        rank.preconditioner->update_values(rank.matrix.interior);
        rank.system->update_values();
    });
}

template <class T>
void RankedSolver<T>::multiply(std::span<const T> x, std::span<T> y) {
    require_vectors("a product needs x and y", x.size(), y.size());
    state().on_ranks([&](RankState<T>& rank) {
        solver::SystemSpace<T>& space = rank.system->space();
        space.upload(own(x, rank.plan), rank.x);
        space.multiply({rank.x.data, rank.x.size}, rank.y);
        space.download({rank.y.data, rank.y.size}, own(y, rank.plan));
    });
}

template <class T>
ProductTimes RankedSolver<T>::measure_product(int repeats) {
    if (repeats < 1) throw Error(fmt::format("to measure {} products, expected at least 1", repeats), ExitCode::usage);
    std::vector<ProductTimes> of_ranks(state().ranks.size());
    state().on_ranks([&](RankState<T>& rank) {
        of_ranks[static_cast<std::size_t>(rank.plan.rank)] =
            rank.system->measure({rank.x.data, rank.x.size}, rank.y, repeats);
    });
    ProductTimes slowest;
    for (const ProductTimes& times : of_ranks) {
        slowest.product = std::max(slowest.product, times.product);
        slowest.halo = std::max(slowest.halo, times.halo);
        slowest.interior = std::max(slowest.interior, times.interior);
        slowest.boundary = std::max(slowest.boundary, times.boundary);
    }
    return slowest;
}

template <class T>
int RankedSolver<T>::check_every(const solver::SolveOptions& options) const {
    return state().check_every(options);
}

template <class T>
const solver::PreconditionerChoice& RankedSolver<T>::preconditioner_choice() const {
    return state().choice;
}

template <class T>
solver::Method RankedSolver<T>::method() const {
    return state().method;
}

template <class T>
const std::string& RankedSolver<T>::method_reason() const {
    return state().method_reason;
}

template <class T>
const Partition& RankedSolver<T>::partition() const {
    return state().partition;
}

template <class T>
std::vector<RankReport> RankedSolver<T>::reports() const {
    std::vector<RankReport> all;
    for (const RankState<T>& rank : state().ranks) all.push_back(rank.report);
    return all;
}

template <class T>
RankedSolver<T> make_cpu_ranked_solver(const CsrMatrix<T>& a, const RankedOptions& options,
                                       const solver::TrialSolve<T>& trial) {
    return {a, options, make_cpu_backend<T>(options.ranks), trial};
}

template <class T>
RankedSolver<T> make_gpu_ranked_solver(const CsrMatrix<T>& a, const RankedOptions& options,
                                       const solver::TrialSolve<T>& trial) {
    return {a, options, make_gpu_backend<T>(options.ranks, options.use_peer_access), trial};
}

#define TILESPMV_INSTANTIATE(T)                                                                \
    template struct RankedState<T>;                                                            \
    template class RankedSolver<T>;                                                            \
    template RankedSolver<T> make_cpu_ranked_solver(const CsrMatrix<T>&, const RankedOptions&, \
                                                    const solver::TrialSolve<T>&);             \
    template RankedSolver<T> make_gpu_ranked_solver(const CsrMatrix<T>&, const RankedOptions&, \
                                                    const solver::TrialSolve<T>&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::multi_gpu
