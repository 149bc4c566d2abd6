#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/multi_gpu/rank_backend.hpp"
#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/conjugate_gradients.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "tile/error.hpp"

/// What a `RankedSolver` is made of.
namespace tilespmv::multi_gpu {

/// All of one rank. Members go in reverse order: the system before what it was made of.
template <class T>
struct RankState {
    HaloPlan plan;
    RankMatrix<T> matrix;
    std::shared_ptr<solver::Preconditioner<T>> preconditioner;
    std::unique_ptr<RankSystem<T>> system;
    std::unique_ptr<solver::ConjugateGradients<T>> gradients;
    solver::Vector<T> x, y;  ///< of `multiply`
    RankReport report;

    /// As messages say it.
    [[nodiscard]] std::string name() const {
        return fmt::format("rank {} (rows {} to {})", plan.rank, std::int64_t{plan.first_row} + 1,
                           std::int64_t{plan.first_row} + plan.rows);
    }
};

template <class T>
struct RankedState {
    std::unique_ptr<RankBackend<T>> backend;
    RankedOptions options;
    Partition partition;
    std::vector<RankState<T>> ranks;
    solver::PreconditionerChoice choice;
    solver::Method method{};
    std::string method_reason;
    bool has_failed = false;  ///< a rank, after which they do not meet any more

    ~RankedState();

    /// f(rank's state) by the threads of all of them. Throws `Error` of the rank that failed, with its name, and from
    /// then on always.
    template <class F>
    void on_ranks(F&& f) {
        const auto run = [&](int number) {
            backend->enter(number);
            RankState<T>& rank = ranks[static_cast<std::size_t>(number)];
            try {
                f(rank);
            } catch (const Error& error) {
                if (ranks.size() == 1) throw;
                throw Error(fmt::format("{}: {}", rank.name(), error.what()), error.code());
            }
        };
        if (has_failed) throw Error("a rank of this solver has failed before; make another solver");
        has_failed = true;
        run_ranks(backend->group().meeting(), run, [&] { backend->give_up(); });
        has_failed = false;
    }

    // By the thread of a rank, together with the others.
    /// Its matrix and its preconditioner are there, and the method.
    void make_system(RankState<T>& rank);
    void drop_system(RankState<T>& rank);

    /// By all of them.
    solver::SolveReport solve(std::span<const T> b, std::span<T> x, const solver::SolveOptions& options);
    [[nodiscard]] int check_every(const solver::SolveOptions& options) const;
};

}  // namespace tilespmv::multi_gpu
