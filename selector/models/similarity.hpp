#pragma once

#include <array>
#include <span>
#include <vector>

#include "selector/models/modelled_operators.hpp"

/// What a sum of costs leaves is much the same on matrices that are alike: it is taken from those.
namespace tilespmv {

/// Where a matrix stands among others: features so scaled that 1 is a clear difference. A doubling of the size counts
/// for little, what columns and rows look like for much.
using Place = std::array<double, 11>;
Place place_of(const ProductWork& work);

/// A measured matrix that others are compared with.
struct Anchor {
    Place place{};
    double error = 0;  ///< logarithm of the measured time over the sum of costs

    friend bool operator==(const Anchor&, const Anchor&) = default;
};

/// The logarithm of the factor by which a sum of costs is to be corrected at a place: the mean of the errors of
/// anchors, each weighted by exp(-d^2 / (2 width^2)) at distance d, and drawn to 0 where there is none near (Nadaraya
/// 1964, Watson 1964). 0 for a width of 0.
double correction_at(const Place& place, std::span<const Anchor> anchors, double width);

}  // namespace tilespmv
