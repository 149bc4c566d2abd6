#pragma once

#include <span>
#include <vector>

#include "selector/models/anchors.hpp"
#include "selector/models/modelled_operators.hpp"

/// What a sum of costs leaves is much the same on matrices that are alike: it is taken from those.
namespace tilespmv {

/// Where a matrix stands among others for an operator: features of the matrix, of the work and of the launch, and which
/// shares of the sum of costs its terms have, so scaled that 1 is a clear difference. The scales are those of the
/// greatest likelihood of what was left, over all operators, on the benchmark set of `tune` and an H200. Rounded to
/// 1e-4, so that files of profiles are short.
Place place_of(const ProductWork& work, std::span<const double> costs);

/// Anchors of the logarithms of measured times over sums of costs, `errors`, at as many places: simple kriging, the
/// mean of a Gaussian process whose covariance is a mean of those of Matern of orders 3/2 and 1/2, with independent
/// noise (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, sections 2.2 and 4.2).
Anchors fit_correction(std::span<const Place> places, std::span<const double> errors);

/// The weights of points by which their similarities to another one tell its error, as in `fit_correction`: of those
/// covariances and errors. Sets the diagonal. Nothing if there are no points, or they cannot be told apart.
std::vector<double> kriging_weights(std::vector<std::vector<double>>& covariance, std::span<const double> errors);

/// The logarithm of the factor by which a sum of costs is to be corrected at a place: the sum of similarities to
/// anchors by their weights. Far from all of them, and without any, 0.
double correction_at(const Place& place, const Anchors& anchors);

}  // namespace tilespmv
