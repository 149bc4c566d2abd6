#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/options/source.hpp"
#include "tools/solve/solve_result.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

std::string seconds(double value) {
    return value < 1 ? fmt::format("{:.3g} ms", value * 1e3) : fmt::format("{:.3g} s", value);
}

std::string predicted_text(const solver::PreconditionerTrial& trial) {
    if (std::isfinite(trial.predicted_seconds)) return seconds(trial.predicted_seconds);
    const bool went_on = trial.end == solver::End::limit || trial.end == solver::End::stopped;
    return went_on ? "too slow" : std::string(solver::end_name(trial.end));
}

/// A row for each of several right-hand sides.
std::string right_hand_sides_text(const std::vector<solver::SolveReport>& reports) {
    if (reports.size() < 2) return "";
    TextTable table;
    table.add({"  column", "end", "iterations", "residual", "allowed", "time"});
    for (std::size_t i = 0; i < reports.size(); ++i) {
        const auto& report = reports[i];
        table.add({fmt::format("  {}", i + 1), std::string(solver::end_name(report.end)),
                   fmt::format("{}", report.iterations), fmt::format("{:.3g}", report.residual),
                   fmt::format("{:.3g}", report.tolerance), seconds(report.seconds)});
    }
    return table.str() + "the hardest: ";
}

std::string ranks_text(const SolveResult& r) {
    if (r.ranks.empty()) return "";
    TextTable table;
    table.add({"  rank", "rows", "interior", "boundary", "halo", "sent", "operator"});
    for (std::size_t i = 0; i < r.ranks.size(); ++i) {
        const auto& rank = r.ranks[i];
        table.add({fmt::format("  {}", i), fmt::format("{}", rank.rows), fmt::format("{}", rank.interior_nonzeros),
                   fmt::format("{}", rank.boundary_nonzeros), fmt::format("{}", rank.halo),
                   fmt::format("{}", rank.sent), rank.operator_name});
    }
    return table.str();
}

std::string ranks_times(const SolveResult& r) {
    if (r.ranks.empty()) return "";
    return fmt::format("an iteration: {}; a product: {}, apart: halo {}, interior {}, boundary {}\n",
                       seconds(r.iteration_seconds), seconds(r.product.product), seconds(r.product.halo),
                       seconds(r.product.interior), seconds(r.product.boundary));
}

}  // namespace

const solver::SolveReport& hardest(const std::vector<solver::SolveReport>& reports) {
    const auto failed = std::ranges::find_if(reports, [](const auto& report) { return !report.converged(); });
    return failed != reports.end() ? *failed : *std::ranges::max_element(reports, {}, &solver::SolveReport::iterations);
}

std::string trials_text(const std::vector<solver::PreconditionerTrial>& trials) {
    if (trials.empty()) return "";
    TextTable table;
    table.add({"  trial", "iterations", "residual", "an iteration", "setup", "predicted"});
    std::string refusals;
    for (const auto& trial : trials) {
        if (!trial.refusal.empty()) {
            refusals += fmt::format("  {}: {}\n", trial.specification, trial.refusal);
            continue;
        }
        table.add({"  " + trial.specification, fmt::format("{}", trial.iterations),
                   fmt::format("x {:.2g}", trial.reduction), seconds(trial.iteration_seconds),
                   seconds(trial.setup_seconds), predicted_text(trial)});
    }
    return table.str() + refusals;
}

std::string solve_text(const SolveResult& r) {
    const auto& choice = r.preconditioner;
    const bool is_same = r.operator_name == r.executed_operator;
    std::string text = fmt::format("{}: {}, {}, {}\n", r.matrix, describe_size(r.rows, r.rows, r.nnz), r.values, r.how);
    text += fmt::format("b: {}\n", r.right_hand_side);
    text +=
        fmt::format("preconditioner: {}{}{}\n", choice.specification, choice.reason.empty() ? "" : ", ", choice.reason);
    text += trials_text(choice.trials);
    text += fmt::format("method: {}{}{}\n", solver::method_name(r.method), r.method_reason.empty() ? "" : ", ",
                        r.method_reason);
    text += fmt::format("operator: {}{}{}{}\n", r.operator_name, is_same ? "" : ", which takes " + r.executed_operator,
                        r.operator_reason.empty() ? "" : ", ", r.operator_reason);
    text += ranks_text(r);
    text += fmt::format("{}{}\n", right_hand_sides_text(r.reports), describe(r.report));
    text += fmt::format("residual: {:.3g} of {:.3g} allowed, {} restart{}\n", r.report.residual, r.report.tolerance,
                        r.report.restarts, r.report.restarts == 1 ? "" : "s");
    text += fmt::format("time: {:.3f} s, setup {:.3f} s, trials {:.3f} s\n", r.report.seconds, r.setup_seconds,
                        r.preconditioner.seconds);
    return text + ranks_times(r);
}

}  // namespace tilespmv::tools
