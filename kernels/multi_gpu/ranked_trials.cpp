#include "kernels/multi_gpu/ranked_trials.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "kernels/multi_gpu/ranked_method.hpp"
#include "kernels/solver/preconditioner_trials.hpp"
#include "tile/seconds_since.hpp"

namespace tilespmv::multi_gpu {
namespace {

using solver::PreconditionerTrial;

/// A preconditioner on all ranks.
template <class T>
struct Candidate {
    std::string specification{};
    std::vector<std::shared_ptr<solver::Preconditioner<T>>> made{};  ///< of each rank
};

/// f(rank, its number) by each of them. What a matrix has no preconditioner by is no failure of the ranks: the first
/// such message is returned, or an empty one.
template <class T, class F>
std::string first_refusal(RankedState<T>& state, F&& f) {
    std::vector<std::string> refusals(state.ranks.size());
    state.on_ranks([&](RankState<T>& rank) {
        const auto number = static_cast<std::size_t>(rank.plan.rank);
        try {
            f(rank, number);
        } catch (const Error& error) {
            if (error.code() != ExitCode::failure) throw;
            refusals[number] =
                state.ranks.size() == 1 ? error.what() : fmt::format("{}: {}", rank.name(), error.what());
        }
    });
    const auto first = std::ranges::find_if(refusals, [](const auto& refusal) { return !refusal.empty(); });
    return first == refusals.end() ? "" : *first;
}

/// Makes it on each rank; sets the time of the slowest, or why there is none.
template <class T>
void make(RankedState<T>& state, Candidate<T>& candidate, PreconditionerTrial& trial) {
    candidate.made.resize(state.ranks.size());
    std::vector<double> setup_seconds(state.ranks.size());
    trial.refusal = first_refusal(state, [&](RankState<T>& rank, std::size_t number) {
        const auto before = std::chrono::steady_clock::now();
        candidate.made[number] = solver::make_preconditioner<T>(candidate.specification, rank.matrix.interior);
        setup_seconds[number] = seconds_since(before);
    });
    trial.setup_seconds = *std::ranges::max_element(setup_seconds);
}

template <class T>
void set_preconditioners(RankedState<T>& state, const Candidate<T>& candidate) {
    for (RankState<T>& rank : state.ranks) {
        rank.preconditioner = candidate.made[static_cast<std::size_t>(rank.plan.rank)];
    }
}

template <class T>
PreconditionerTrial try_one(RankedState<T>& state, Candidate<T>& candidate, std::span<const T> b,
                            const solver::SolveOptions& goal) {
    PreconditionerTrial trial{.specification = candidate.specification,
                              .predicted_seconds = std::numeric_limits<double>::infinity()};
    make(state, candidate, trial);
    if (!trial.refusal.empty()) return trial;
    set_preconditioners(state, candidate);
    choose_method(state);
    state.on_ranks([&](RankState<T>& rank) { state.make_system(rank); });
    std::vector<T> x(b.size());
    solver::run_trial(trial, goal, [&](const solver::SolveOptions& with) { return state.solve(b, x, with); });
    state.on_ranks([&](RankState<T>& rank) {
        state.drop_system(rank);
        rank.preconditioner.reset();
    });
    return trial;
}

}  // namespace

template <class T>
void choose_preconditioner_on_ranks(RankedState<T>& state, const CsrMatrix<T>& a, const solver::TrialSolve<T>& trial) {
    const auto before = std::chrono::steady_clock::now();
    Buffer<T> made;
    const std::span<const T> b = solver::trial_right_hand_side(a, trial, made);
    std::vector<Candidate<T>> candidates;
    for (const std::string& one : solver::preconditioner_candidates(a)) candidates.push_back({.specification = one});
    auto& choice = state.choice;
    for (auto& candidate : candidates) choice.trials.push_back(try_one(state, candidate, b, trial.goal));
    solver::decide(choice);
    choice.seconds = seconds_since(before);
    if (const PreconditionerTrial* best = solver::taken(choice)) {
        set_preconditioners(state, candidates[static_cast<std::size_t>(best - choice.trials.data())]);
        choice.seconds -= best->setup_seconds;
    }
}

template void choose_preconditioner_on_ranks(RankedState<double>&, const CsrMatrix<double>&,
                                             const solver::TrialSolve<double>&);
template void choose_preconditioner_on_ranks(RankedState<float>&, const CsrMatrix<float>&,
                                             const solver::TrialSolve<float>&);

}  // namespace tilespmv::multi_gpu
