#include "kernels/multi_gpu/ranked_solver.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "kernels/multi_gpu/rank_backend.hpp"
#include "kernels/solver/conjugate_gradients.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "tile/error.hpp"

namespace tilespmv::multi_gpu {
namespace {

/// Rows that M takes together, found out with the smallest matrix there is; which refuses a wrong name before any rank
/// is there, too.
template <class T>
index_t block_of(const std::string& preconditioner) {
    const CsrMatrix<T> one{1, 1, {0, 1}, {0}, {T{1}}};
    const auto made = solver::make_preconditioner<T>(preconditioner, one);
    return std::visit([](const auto& parts) { return std::max<index_t>(1, parts.block_size); }, made->parts());
}

template <class T>
Partition partition_for(const CsrMatrix<T>& a, const RankedOptions& options) {
    if (a.rows != a.cols) {
        throw Error(fmt::format("a solver needs a square matrix, found {} rows and {} columns", a.rows, a.cols));
    }
    const index_t of_m = block_of<T>(options.preconditioner);
    if (options.partition) {
        require_partition(*options.partition, a.rows, options.ranks, of_m);
        return *options.partition;
    }
    const std::int64_t block = std::lcm(std::int64_t{of_m}, std::int64_t{std::max(options.block, 1)});
    const PartitionRule rule{.block = static_cast<index_t>(std::min<std::int64_t>(block, std::max(a.rows, 1)))};
    return partition_by_nonzeros({a.row_ptrs.data(), a.row_ptrs.size()}, options.ranks, rule);
}

template <class V>
std::span<V> own(std::span<V> of_all, const HaloPlan& plan) {
    return of_all.subspan(static_cast<std::size_t>(plan.first_row), static_cast<std::size_t>(plan.rows));
}

}  // namespace

/// All of one rank. Members go in reverse order: the system before what it was made of.
template <class T>
struct RankedSolver<T>::Rank {
    HaloPlan plan;
    RankMatrix<T> matrix;
    std::unique_ptr<solver::Preconditioner<T>> preconditioner;
    std::unique_ptr<RankSystem<T>> system;
    std::unique_ptr<solver::ConjugateGradients<T>> gradients;
    solver::Vector<T> x, y;  ///< of `multiply`
    RankReport report;

    void describe() {
        auto& space = system->space();
        report = {plan.rows,
                  matrix.interior.nnz(),
                  matrix.boundary.nnz(),
                  plan.halo_size(),
                  static_cast<std::int64_t>(plan.sent.size()),
                  std::string(space.operator_name()),
                  space.how()};
    }
};

template <class T>
struct RankedSolver<T>::State {
    std::unique_ptr<RankBackend<T>> backend;
    RankedOptions options;
    Partition partition;
    std::vector<Rank> ranks;

    ~State() {
        for (Rank& rank : ranks) {
            enter_if_possible(rank.plan.rank);
            rank.gradients.reset();
            rank.system.reset();
        }
        enter_if_possible(0);
    }

    /// A GPU that has failed may not let itself be chosen any more.
    void enter_if_possible(int rank) noexcept {
        try {
            backend->enter(rank);
        } catch (const Error&) {
            return;
        }
    }

    /// By the thread of a rank.
    void make(const CsrMatrix<T>& a, Rank& rank) {
        rank.matrix = make_rank_matrix(a, rank.plan);
        rank.preconditioner = solver::make_preconditioner<T>(options.preconditioner, rank.matrix.interior);
        rank.system = backend->make_system(rank.plan.rank, {&rank.matrix, &rank.plan, &rank.preconditioner->parts(),
                                                            &options, static_cast<std::size_t>(a.rows)});
        solver::SystemSpace<T>& space = rank.system->space();
        rank.gradients =
            std::make_unique<solver::ConjugateGradients<T>>(space, options.method, options.constant_null_space);
        rank.x = space.make_vector();
        rank.y = space.make_vector();
        rank.describe();
    }

    /// `options` with a question that one rank asks and all hear the answer to.
    [[nodiscard]] solver::SolveOptions asked_once(const solver::SolveOptions& options_of_all, int rank) {
        solver::SolveOptions mine = options_of_all;
        if (!options_of_all.on_check || ranks.size() == 1) return mine;
        mine.on_check = [this, rank, on_check = options_of_all.on_check](const solver::Check& check) {
            const double goes_on = rank == 0 && on_check(check) ? 1 : 0;
            std::vector<double> all(ranks.size());
            backend->group().communicator(rank).all_gather(&goes_on, 1, all.data(), nullptr);
            return all.front() != 0;
        };
        return mine;
    }
};

template <class T>
template <class F>
void RankedSolver<T>::on_ranks(F&& f) {
    const auto run = [&](int number) {
        state_->backend->enter(number);
        Rank& rank = state_->ranks[static_cast<std::size_t>(number)];
        try {
            f(rank);
        } catch (const Error& error) {
            if (state_->ranks.size() == 1) throw;
            throw Error(fmt::format("rank {} (rows {} to {}): {}", number, std::int64_t{rank.plan.first_row} + 1,
                                    std::int64_t{rank.plan.first_row} + rank.plan.rows, error.what()),
                        error.code());
        }
    };
    run_ranks(state_->backend->group().meeting(), run, [&] { state_->backend->give_up(); });
}

template <class T>
RankedSolver<T>::RankedSolver(const CsrMatrix<T>& a, const RankedOptions& options,
                              std::unique_ptr<RankBackend<T>> backend)
    : state_(new State{std::move(backend), options, partition_for(a, options), {}}) {
    for (HaloPlan& plan : make_halo_plans(a, state_->partition, state_->partition)) {
        state_->ranks.emplace_back().plan = std::move(plan);
    }
    on_ranks([&](Rank& rank) { state_->make(a, rank); });
}

template <class T>
RankedSolver<T>::RankedSolver(RankedSolver&&) noexcept = default;

template <class T>
RankedSolver<T>::~RankedSolver() = default;

template <class T>
solver::SolveReport RankedSolver<T>::solve(std::span<const T> b, std::span<T> x, const solver::SolveOptions& options) {
    const auto rows = static_cast<std::size_t>(state_->partition.rows());
    if (b.size() != rows || x.size() != rows) {
        throw Error(fmt::format("a solve needs b and x of {} values, found {} and {}", rows, b.size(), x.size()));
    }
    solver::SolveOptions filled = options;
    filled.check_every = check_every(options);
    solver::SolveReport report;
    on_ranks([&](Rank& rank) {
        auto mine =
            rank.gradients->solve(own(b, rank.plan), own(x, rank.plan), state_->asked_once(filled, rank.plan.rank));
        if (rank.plan.rank == 0) report = std::move(mine);
    });
    return report;
}

template <class T>
void RankedSolver<T>::update_values(const CsrMatrix<T>& a) {
    require_partition(state_->partition, a.rows, state_->partition.parts());
    on_ranks([&](Rank& rank) {
        copy_values(a, rank.plan, rank.matrix);
        rank.preconditioner->update_values(rank.matrix.interior);
        rank.system->update_values();
    });
}

template <class T>
void RankedSolver<T>::multiply(std::span<const T> x, std::span<T> y) {
    on_ranks([&](Rank& rank) {
        solver::SystemSpace<T>& space = rank.system->space();
        space.upload(own(x, rank.plan), rank.x);
        space.multiply({rank.x.data, rank.x.size}, rank.y);
        space.download({rank.y.data, rank.y.size}, own(y, rank.plan));
    });
}

template <class T>
ProductTimes RankedSolver<T>::measure_product(int repeats) {
    std::vector<ProductTimes> of_ranks(state_->ranks.size());
    on_ranks([&](Rank& rank) {
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
    return options.check_every != 0 ? options.check_every : state_->backend->check_every();
}

template <class T>
const Partition& RankedSolver<T>::partition() const {
    return state_->partition;
}

template <class T>
std::vector<RankReport> RankedSolver<T>::reports() const {
    std::vector<RankReport> all;
    for (const Rank& rank : state_->ranks) all.push_back(rank.report);
    return all;
}

template <class T>
RankedSolver<T> make_cpu_ranked_solver(const CsrMatrix<T>& a, const RankedOptions& options) {
    return {a, options, make_cpu_backend<T>(options.ranks)};
}

template <class T>
RankedSolver<T> make_gpu_ranked_solver(const CsrMatrix<T>& a, const RankedOptions& options) {
    return {a, options, make_gpu_backend<T>(options.ranks)};
}

#define TILESPMV_INSTANTIATE(T)                                                                 \
    template class RankedSolver<T>;                                                             \
    template RankedSolver<T> make_cpu_ranked_solver(const CsrMatrix<T>&, const RankedOptions&); \
    template RankedSolver<T> make_gpu_ranked_solver(const CsrMatrix<T>&, const RankedOptions&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::multi_gpu
