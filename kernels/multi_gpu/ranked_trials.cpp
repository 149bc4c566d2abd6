#include "kernels/multi_gpu/ranked_trials.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>

#include "kernels/multi_gpu/ranked_method.hpp"
#include "kernels/solver/preconditioner_trials.hpp"
#include "kernels/solver/ssor_forms.hpp"
#include "tile/seconds_since.hpp"

namespace tilespmv::multi_gpu {
namespace {

using solver::PreconditionerForm;
using solver::PreconditionerTrial;

/// A preconditioner on all ranks.
template <class T>
struct Candidate {
    std::string specification{};
    std::vector<PreconditionerForm> forms{};
    /// Of each rank, where it was made already, and how long that took.
    std::vector<std::shared_ptr<solver::Preconditioner<T>>> made{};
    std::vector<double> setup_seconds{};
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

/// Of ranks that have rows; there is one.
template <class T>
std::vector<std::vector<PreconditionerForm>> forms_of(const RankedState<T>& state,
                                                      std::span<const solver::SsorForms<T>> ranked) {
    std::vector<std::vector<PreconditionerForm>> forms;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        if (state.ranks[i].plan.rows > 0) forms.push_back(ranked[i].forms);
    }
    if (forms.empty()) forms.push_back(ranked.front().forms);
    return forms;
}

/// The form that models favour, already made where it is the best of the rank, too.
template <class T>
Candidate<T> ssor_candidate(RankedState<T>& state, int order) {
    const std::size_t count = state.ranks.size();
    std::vector<solver::SsorForms<T>> ranked(count);
    const auto refusal = first_refusal(state, [&](RankState<T>& rank, std::size_t number) {
        ranked[number] = solver::rank_ssor_forms(rank.matrix.interior, order, state.backend->backend());
    });
    if (!refusal.empty()) return {solver::ssor_specification(order, "factors")};  // whose trial says why there is none
    Candidate<T> candidate{.forms = forms_over_ranks(forms_of<T>(state, ranked))};
    const std::string& best = candidate.forms.front().name;
    candidate.specification = solver::ssor_specification(order, best);
    for (auto& of_rank : ranked) {
        const bool is_best = of_rank.forms.front().name == best;
        candidate.made.push_back(is_best ? std::move(of_rank.made) : nullptr);
        candidate.setup_seconds.push_back(is_best ? of_rank.forms.front().setup_seconds : 0);
    }
    return candidate;
}

/// Block Jacobi only where no block lies on two ranks.
template <class T>
std::vector<Candidate<T>> candidates_of(RankedState<T>& state, const CsrMatrix<T>& a) {
    const int size = solver::unknowns_a_node(a);
    const bool is_cut =
        std::ranges::any_of(state.ranks, [&](const auto& rank) { return rank.plan.first_row % size != 0; });
    std::vector<Candidate<T>> all;
    for (const auto& [specification, ssor_order] : solver::worth_trying(a)) {
        if (ssor_order > 0) {
            all.push_back(ssor_candidate(state, ssor_order));
        } else if (!is_cut || !specification.starts_with("block-jacobi")) {
            all.push_back({.specification = specification});
        }
    }
    return all;
}

/// Makes what is not there yet; sets the time of the slowest rank, or why there is none.
template <class T>
void make(RankedState<T>& state, Candidate<T>& candidate, PreconditionerTrial& trial) {
    candidate.made.resize(state.ranks.size());
    candidate.setup_seconds.resize(state.ranks.size());
    trial.refusal = first_refusal(state, [&](RankState<T>& rank, std::size_t number) {
        if (candidate.made[number]) return;
        const auto before = std::chrono::steady_clock::now();
        candidate.made[number] = solver::make_preconditioner<T>(candidate.specification, rank.matrix.interior);
        candidate.setup_seconds[number] = seconds_since(before);
    });
    trial.setup_seconds = *std::ranges::max_element(candidate.setup_seconds);
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
                              .predicted_seconds = std::numeric_limits<double>::infinity(),
                              .forms = candidate.forms};
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

/// As one of all ranks.
PreconditionerForm slowest(const std::string& name, std::span<const std::vector<PreconditionerForm>> of_ranks) {
    PreconditionerForm all{.name = name};
    for (const auto& forms : of_ranks) {
        const auto& form = *std::ranges::find(forms, name, &PreconditionerForm::name);
        all.products = form.products;
        all.nonzeros += form.nonzeros;
        all.seconds = std::max(all.seconds, form.seconds);
        all.setup_seconds = std::max(all.setup_seconds, form.setup_seconds);
    }
    return all;
}

}  // namespace

std::vector<PreconditionerForm> forms_over_ranks(std::span<const std::vector<PreconditionerForm>> of_ranks) {
    std::vector<PreconditionerForm> all;
    for (const auto& form : of_ranks.front()) all.push_back(slowest(form.name, of_ranks));
    std::ranges::stable_sort(all, {}, solver::whole_seconds);
    return all;
}

template <class T>
void choose_preconditioner_on_ranks(RankedState<T>& state, const CsrMatrix<T>& a, const solver::TrialSolve<T>& trial) {
    const auto before = std::chrono::steady_clock::now();
    Buffer<T> made;
    const std::span<const T> b = solver::trial_right_hand_side(a, trial, made);
    auto candidates = candidates_of(state, a);
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
