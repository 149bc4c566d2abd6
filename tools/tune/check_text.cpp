#include <algorithm>
#include <functional>

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

std::string shape_text(const LaunchShape& shape, std::size_t n) {
    return fmt::format("{} x {} x {}", blocks_for(shape, n), shape.threads, shape.elements);
}

/// The choices of launch shapes that lose the most, as far as they lose more than a tenth.
std::string worst_shapes_text(std::vector<CheckedShape> shapes) {
    constexpr std::size_t kMost = 5;
    std::erase_if(shapes, [](const CheckedShape& s) { return s.loss() <= 1.1; });
    if (shapes.empty()) return "";
    std::ranges::stable_sort(shapes, std::ranges::greater(), &CheckedShape::loss);
    if (shapes.size() > kMost) shapes.resize(kMost);
    TextTable table;
    table.add({"kernel", "values", "blocks x threads x elements", "time", "best", "time", "loss"});
    for (const CheckedShape& s : shapes) {
        table.add({s.kernel, grouped(static_cast<std::int64_t>(s.n)), shape_text(s.chosen, s.n),
                   micro(s.chosen_seconds), shape_text(s.best, s.n), micro(s.best_seconds),
                   times(s.chosen_seconds, s.best_seconds)});
    }
    return fmt::format("\n{}\n", table.str());
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
    return text + quality_text("by the profile", s.models) + quality_text("by rules alone", s.rules) +
           quality_text("launch shapes", s.vectors);
}

std::string check_text(const CheckOutcome& outcome) {
    std::string text = matrices_text(outcome.matrices) + check_summary_text(outcome);
    text += worst_shapes_text(outcome.shapes);
    if (outcome.left > 0) {
        text += fmt::format("{} matrices and sizes of vectors left: give more --seconds\n", grouped(outcome.left));
    }
    return text;
}

}  // namespace tilespmv::tools
