#pragma once

#include <span>

namespace tilespmv {

/// T = slope * n + intercept, in seconds.
struct Line {
    double slope = 0;
    double intercept = 0;

    [[nodiscard]] double at(double n) const { return slope * n + intercept; }
    friend bool operator==(const Line&, const Line&) = default;
};

/// What was measured at n.
struct TimeAt {
    double n = 0;
    double seconds = 0;  ///< positive
};

/// What a line may be below zero.
enum class Intercept {
    any,           ///< of a domain that begins far from n = 0
    non_negative,  ///< of a domain that begins at n = 0
};

/// The line of the least squares of relative errors, (T - measured) / measured, in which points far from all others
/// count less. Its slope is not negative. Of one point, or of points at one n, a constant; of none, 0.
Line fit_line(std::span<const TimeAt> points, Intercept intercept = Intercept::any);

}  // namespace tilespmv
