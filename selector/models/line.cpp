#include "selector/models/line.hpp"

#include <cmath>
#include <vector>

#include "selector/models/robust_weights.hpp"

namespace tilespmv {
namespace {

/// Sums of the normal equations.
struct Sums {
    double one = 0, n = 0, nn = 0, t = 0, nt = 0;
};

Sums sums_of(std::span<const TimeAt> points, std::span<const double> weights) {
    Sums sums;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto [n, t] = points[i];
        const double w = weights[i] / (t * t);
        sums.one += w;
        sums.n += w * n;
        sums.nn += w * n * n;
        sums.t += w * t;
        sums.nt += w * n * t;
    }
    return sums;
}

Line solve(const Sums& s, Intercept intercept) {
    constexpr double kSameN = 1e-12;
    const Line constant{0, s.t / s.one};
    const double determinant = s.one * s.nn - s.n * s.n;
    if (determinant <= kSameN * s.one * s.nn) return constant;
    const Line line{(s.one * s.nt - s.n * s.t) / determinant, (s.nn * s.t - s.n * s.nt) / determinant};
    if (line.slope < 0) return constant;
    if (line.intercept < 0 && intercept == Intercept::non_negative) return {s.nt / s.nn, 0};
    return line;
}

}  // namespace

Line fit_line(std::span<const TimeAt> points, Intercept intercept) {
    constexpr int kRounds = 10;
    if (points.empty()) return {};
    std::vector<double> weights(points.size(), 1);
    std::vector<double> errors(points.size());
    Line line;
    for (int round = 0; round < kRounds; ++round) {
        line = solve(sums_of(points, weights), intercept);
        for (std::size_t i = 0; i < points.size(); ++i) errors[i] = line.at(points[i].n) / points[i].seconds - 1;
        weights = robust_weights(errors);
    }
    return line;
}

}  // namespace tilespmv
