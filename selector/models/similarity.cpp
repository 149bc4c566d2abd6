#include "selector/models/similarity.hpp"

#include <algorithm>
#include <cmath>

#include "selector/models/least_squares.hpp"

namespace tilespmv {
namespace {

/// The Matern covariance of order 3/2 at distance d of the unit of places.
double similarity(const Place& a, const Place& b) {
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
    const double d = std::sqrt(3 * squares);
    return (1 + d) * std::exp(-d);
}

double log2_of(double amount) { return std::log2(1 + std::max(amount, 0.0)); }

}  // namespace

Place place_of(const ProductWork& work) {
    const MatrixFeatures& f = work.features;
    const double mean = std::max(f.mean_row, 1e-3);
    const double nonzeros = work.work[static_cast<std::size_t>(Term::nonzeros)];  // padding included
    return {0.12 * log2_of(nonzeros),
            0.12 * log2_of(f.rows),
            0.19 * log2_of(mean),
            0.12 * log2_of(static_cast<double>(f.longest_row)),
            0.1 * log2_of(static_cast<double>(f.hyb_width)),
            0.5 * f.hyb_rest,
            0.85 * f.x_sectors,
            0.75 * f.piece_sectors,
            0.05 * log2_of(f.tile_nonzeros),
            0.24 * f.strip_fill,
            0.05 * std::log2(std::max(f.inode_rows, 1.0)),
            0.28 * f.full_tile_share};
}

std::vector<Anchor> fit_correction(std::span<const Place> places, std::span<const double> errors) {
    constexpr double kNoise = 0.03;  // variance of what has nothing to do with the place, over that of what has
    std::vector<std::vector<double>> covariance(places.size(), std::vector<double>(places.size()));
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t j = 0; j < places.size(); ++j)
            covariance[i][j] = similarity(places[i], places[j]) + (i == j ? kNoise : 0);
    }
    const auto weights = solve_positive_definite(covariance, errors);
    std::vector<Anchor> anchors;
    for (std::size_t i = 0; i < weights.size(); ++i) anchors.push_back({places[i], weights[i]});
    return anchors;
}

double correction_at(const Place& place, std::span<const Anchor> anchors) {
    double correction = 0;
    for (const Anchor& anchor : anchors) correction += anchor.weight * similarity(place, anchor.place);
    return correction;
}

}  // namespace tilespmv
