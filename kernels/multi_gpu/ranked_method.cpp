#include "kernels/multi_gpu/ranked_method.hpp"

#include <algorithm>

#include "kernels/solver/solve.hpp"
#include "kernels/solver/solver_machine.hpp"
#include "kernels/solver/solver_model.hpp"

namespace tilespmv::multi_gpu {
namespace {

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

}  // namespace

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

template void choose_method(RankedState<double>&);
template void choose_method(RankedState<float>&);

}  // namespace tilespmv::multi_gpu
