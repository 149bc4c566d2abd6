#include <fmt/format.h>

#include "tile/io/printable.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/text_table.hpp"
#include "tools/tune/check.hpp"

namespace tilespmv::tools {
namespace {

std::string micro(double seconds) { return fmt::format("{:.1f} us", seconds * 1e6); }
std::string times(double seconds, double best) { return fmt::format("{:.2f}", seconds / best); }

std::string quality_text(std::string_view who, const ChoiceQuality& q) {
    if (q.choices == 0) return "";
    return fmt::format(
        "{}: {} of {} choices within 5% of the best, {:.3f} x its time in the geometric mean, {:.3f} on average, "
        "{:.2f} at worst\n",
        who, percent(q.near_best), q.choices, q.mean_loss, q.average_loss, q.worst_loss);
}

std::string matrices_text(const std::vector<CheckedMatrix>& matrices) {
    if (matrices.empty()) return "";
    TextTable table;
    table.add({"matrix", "nonzeros", "best", "time", "by the profile", "loss", "by rules alone", "loss", "accuracy",
               "naive"});
    for (const CheckedMatrix& m : matrices) {
        std::vector<PredictedTime> models;
        std::vector<PredictedTime> naive;
        for (const CheckedProduct& p : m.products) {
            models.push_back({p.predicted, p.measured});
            naive.push_back({p.naive, p.measured});
        }
        table.add({m.name, grouped(m.features.nnz), m.best, micro(m.best_seconds), m.by_models,
                   times(m.models_seconds, m.best_seconds), m.by_rules, times(m.rules_seconds, m.best_seconds),
                   percent(mean_accuracy(models)), percent(mean_accuracy(naive))});
    }
    return table.str() + "\n";
}

}  // namespace

std::string check_summary_text(const CheckOutcome& outcome) {
    const ProfileCheck& s = outcome.summary;
    std::string text;
    for (const std::string& error : outcome.errors) text += fmt::format("not checked: {}\n", printable(error));
    if (s.matrices > 0) {
        text += fmt::format("predictions are right by {} in the mean, bytes over bandwidth by {}\n",
                            percent(s.accuracy), percent(s.naive_accuracy));
    }
    return text + quality_text("by the profile", s.models) + quality_text("by rules alone", s.rules);
}

std::string check_text(const CheckOutcome& outcome) {
    std::string text = matrices_text(outcome.matrices) + check_summary_text(outcome);
    if (outcome.left > 0) {
        text += fmt::format("{} matrices left: give more --seconds\n", grouped(outcome.left));
    }
    return text;
}

}  // namespace tilespmv::tools
