#include "selector/models/accuracy.hpp"

#include <algorithm>
#include <cmath>

namespace tilespmv {

double mean_accuracy(std::span<const PredictedTime> times) {
    if (times.empty()) return 0;
    double sum = 0;
    for (const auto& [predicted, measured] : times) sum += 1 - std::abs(predicted - measured) / measured;
    return sum / static_cast<double>(times.size());
}

ChoiceQuality choice_quality(std::span<const double> losses) {
    constexpr double kNear = 1.05;
    if (losses.empty()) return {};
    double logs = 0;
    double sum = 0;
    for (const double loss : losses) {
        logs += std::log(loss);
        sum += loss;
    }
    const auto count = static_cast<double>(losses.size());
    const auto near = std::ranges::count_if(losses, [](double loss) { return loss <= kNear; });
    return {.choices = static_cast<int>(losses.size()),
            .near_best = static_cast<double>(near) / count,
            .mean_loss = std::exp(logs / count),
            .average_loss = sum / count,
            .worst_loss = std::ranges::max(losses)};
}

}  // namespace tilespmv
