#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/solve.hpp"
#include "selector/auto/rank_operators.hpp"

namespace tilespmv::tools {

/// What `tilespmv solve` shows of a solve: what was chosen, why, and what came of it.
struct SolveResult {
    std::string matrix;  ///< its short name
    index_t rows = 0;
    offset_t nnz = 0;
    std::string values;                           ///< their type
    std::string right_hand_side;                  ///< where b comes from
    std::string how;                              ///< "CPU, 2 threads"
    std::string operator_name;                    ///< as asked for
    std::string executed_operator;                ///< what that is
    std::string operator_reason;                  ///< a clause; empty if it was asked for, or each rank chose its own
    std::vector<RankedOperator> ranked;           ///< what `auto` chooses from, best first
    solver::PreconditionerChoice preconditioner;  ///< without trials if it was asked for
    solver::Method method{};
    std::string method_reason;  ///< a clause; empty if it was asked for
    double setup_seconds = 0;   ///< of the operator and the preconditioner, without trials
    double rtol = 0, atol = 0;
    int check_every = 0;
    solver::SolveReport report;                ///< of the `hardest` right-hand side
    std::vector<solver::SolveReport> reports;  ///< of all of them, in order
    double iteration_seconds = 0;              ///< from the second check to the last; 0 if there were not so many
    std::vector<multi_gpu::RankReport> ranks;  ///< none unless `--gpus` was given
    multi_gpu::ProductTimes product;           ///< of those
};

/// The first solve that did not converge, or else the one of most iterations. There is one.
const solver::SolveReport& hardest(const std::vector<solver::SolveReport>& reports);

/// A row for each trial, and a line for each refusal; empty without any.
std::string trials_text(const std::vector<solver::PreconditionerTrial>& trials);

/// A few lines, and a row for each trial.
std::string solve_text(const SolveResult& result);

/// The same, with the history of residuals.
nlohmann::ordered_json solve_json(const SolveResult& result);

}  // namespace tilespmv::tools
