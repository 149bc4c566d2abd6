#pragma once

#include <span>
#include <string>
#include <vector>

/// How good predictions and choices are.
namespace tilespmv {

struct PredictedTime {
    double predicted = 0;
    double measured = 0;  ///< positive
};

/// The mean of 1 - |predicted - measured| / measured; 0 of nothing. May be negative.
double mean_accuracy(std::span<const PredictedTime> times);

/// What a choice cost: the time of what was chosen over that of the best, 1 if it was the best.
struct ChoiceQuality {
    int choices = 0;
    double near_best = 0;  ///< share of the choices within 5% of the best
    double mean_loss = 1;  ///< geometric mean
    double average_loss = 1;
    double worst_loss = 1;

    friend bool operator==(const ChoiceQuality&, const ChoiceQuality&) = default;
};

/// Of losses, each at least 1.
ChoiceQuality choice_quality(std::span<const double> losses);

}  // namespace tilespmv
