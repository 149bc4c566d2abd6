#pragma once

#include <cstdint>
#include <span>

/// What takes most of the time of a prediction, in vectors of whatever width the machine has.
namespace tilespmv {

/// The covariance at distances whose squares are given, of the unit of places: of order 3/2 for what changes smoothly
/// with features, of order 1/2 for steps that other choices of an operator and full waves of threads make.
void similarities(std::span<const double> squared_distances, std::span<double> similarities);
/// The sum of similarities by their weights. The sizes are multiples of `Anchors::kBlock`.
double weighted_similarities(std::span<const double> squared_distances, std::span<const double> weights);

/// Squares of the distances from one place to as many as there are squares: `coordinates` are the first of all places,
/// the second of all, ...
void squared_distances(std::span<const float> coordinates, std::span<const float> from, std::span<double> squares);
/// The sum of weights by similarities, as many.
double weighted_sum(std::span<const float> weights, std::span<const double> similarities);

/// Places of anchors in whole units, as `Anchors` keeps them.
struct UnitPlaces {
    std::span<const std::int16_t> units;
    std::span<const std::uint32_t> norms;
};
/// Squares of distances from a place to those; each has to be less than 2^32 squares of units.
void squared_unit_distances(const UnitPlaces& places, std::span<const std::int16_t> from, std::uint32_t norm,
                            std::span<double> squares);

}  // namespace tilespmv
