#include <cmath>

#include <nlohmann/json.hpp>

#include "tools/solve/solve_result.hpp"

namespace tilespmv::tools {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no Inf.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json trial_json(const solver::PreconditionerTrial& trial) {
    if (!trial.refusal.empty()) return {{"preconditioner", trial.specification}, {"refusal", trial.refusal}};
    return {{"preconditioner", trial.specification},
            {"iterations", trial.iterations},
            {"end", solver::end_name(trial.end)},
            {"reduction", number(trial.reduction)},
            {"iteration_s", trial.iteration_seconds},
            {"setup_s", trial.setup_seconds},
            {"predicted_s", number(trial.predicted_seconds)}};
}

Json history_json(const std::vector<solver::Check>& history) {
    Json iterations = Json::array(), residuals = Json::array();
    for (const auto& check : history) {
        iterations.push_back(check.iteration);
        residuals.push_back(number(check.residual));
    }
    return {{"iterations", iterations}, {"residuals", residuals}};
}

/// Of several right-hand sides.
Json reports_json(const std::vector<solver::SolveReport>& reports) {
    Json all = Json::array();
    for (const auto& report : reports) {
        all.push_back({{"end", solver::end_name(report.end)},
                       {"iterations", report.iterations},
                       {"restarts", report.restarts},
                       {"rhs_norm", number(report.rhs_norm)},
                       {"tolerance", number(report.tolerance)},
                       {"residual", number(report.residual)},
                       {"solve_s", report.seconds},
                       {"history", history_json(report.history)}});
    }
    return all;
}

Json ranks_json(const std::vector<multi_gpu::RankReport>& ranks) {
    Json all = Json::array();
    for (const auto& rank : ranks) {
        all.push_back({{"rows", rank.rows},
                       {"interior_nonzeros", rank.interior_nonzeros},
                       {"boundary_nonzeros", rank.boundary_nonzeros},
                       {"halo", rank.halo},
                       {"sent", rank.sent},
                       {"operator", rank.operator_name}});
    }
    return all;
}

/// What only solves over several ranks have.
void add_ranks(Json& json, const SolveResult& r) {
    json["iteration_s"] = r.iteration_seconds;
    json["product_s"] = {{"whole", r.product.product},
                         {"halo", r.product.halo},
                         {"interior", r.product.interior},
                         {"boundary", r.product.boundary}};
    json["ranks"] = ranks_json(r.ranks);
}

}  // namespace

Json solve_json(const SolveResult& r) {
    Json trials = Json::array();
    for (const auto& trial : r.preconditioner.trials) trials.push_back(trial_json(trial));
    Json json{{"matrix", r.matrix},
              {"rows", r.rows},
              {"nnz", r.nnz},
              {"values", r.values},
              {"right_hand_side", r.right_hand_side},
              {"device", r.how},
              {"operator", r.operator_name},
              {"executed_operator", r.executed_operator},
              {"operator_why", r.operator_reason},
              {"method", solver::method_name(r.method)},
              {"method_why", r.method_reason},
              {"preconditioner",
               {{"chosen", r.preconditioner.specification}, {"why", r.preconditioner.reason}, {"trials", trials}}},
              {"rtol", r.rtol},
              {"atol", r.atol},
              {"check_every", r.check_every},
              {"end", solver::end_name(r.report.end)},
              {"iterations", r.report.iterations},
              {"restarts", r.report.restarts},
              {"rhs_norm", number(r.report.rhs_norm)},
              {"tolerance", number(r.report.tolerance)},
              {"first_residual", number(r.report.first_residual)},
              {"residual", number(r.report.residual)},
              {"solve_s", r.report.seconds},
              {"setup_s", r.setup_seconds},
              {"trials_s", r.preconditioner.seconds},
              {"history", history_json(r.report.history)}};
    if (r.reports.size() > 1) json["right_hand_sides"] = reports_json(r.reports);
    if (!r.ranks.empty()) add_ranks(json, r);
    return json;
}

}  // namespace tilespmv::tools
