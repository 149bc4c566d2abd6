#pragma once

#include <array>
#include <span>
#include <vector>

#include "selector/models/modelled_operators.hpp"

/// What a sum of costs leaves is much the same on matrices that are alike: it is taken from those.
namespace tilespmv {

/// Where a matrix stands among others for an operator: features so scaled that 1 is a clear difference. The scales are
/// those of the greatest likelihood of what was left, over all operators, on the benchmark set of `tune` and an H200.
using Place = std::array<double, 12>;
Place place_of(const ProductWork& work);

/// A measured matrix that others are compared with.
struct Anchor {
    Place place{};
    double weight = 0;  ///< of its similarity in the correction

    friend bool operator==(const Anchor&, const Anchor&) = default;
};

/// Anchors of the logarithms of measured times over sums of costs, `errors`, at as many places: simple kriging, the
/// mean of a Gaussian process with the Matern covariance of order 3/2 and independent noise (Rasmussen and Williams,
/// "Gaussian Processes for Machine Learning", 2006, sections 2.2 and 4.2).
std::vector<Anchor> fit_correction(std::span<const Place> places, std::span<const double> errors);

/// The logarithm of the factor by which a sum of costs is to be corrected at a place: the sum of similarities to
/// anchors by their weights. Far from all of them, and without any, 0.
double correction_at(const Place& place, std::span<const Anchor> anchors);

}  // namespace tilespmv
