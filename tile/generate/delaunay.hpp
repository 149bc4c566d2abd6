#pragma once

#include <cstdint>
#include <span>

#include "tile/csr.hpp"
#include "tile/generate/generator.hpp"

namespace tilespmv::synthetic {

/// Bits of a coordinate; with 30, every predicate below is exact in 128-bit integers.
inline constexpr int kCoordinateBits = 30;

/// A point of the unit square in units of 2^-30, coordinates in [0, 2^30).
struct Point {
    std::int64_t x;
    std::int64_t y;
    friend bool operator==(const Point&, const Point&) = default;
};

/// Twice the signed area of a triangle, positive if a, b, c turn left.
std::int64_t orientation(Point a, Point b, Point c);

/// Whether d lies strictly inside the circle through a, b, c, which turn left.
bool in_circle(Point a, Point b, Point c, Point d);

/// Triangulates distinct points by Delaunay, n log n, exactly: divide and conquer (Guibas and Stolfi, ACM TOG 1985)
/// with cuts that alternate between x and y (Dwyer, Algorithmica 1987), in parallel. Where four points lie on a circle
/// one of the two ways is taken. Sorts the points into the order of the cuts, so that neighbours have close numbers.
/// Returns every edge once, as positions in the sorted points.
Buffer<Entry> triangulate(std::span<Point> points);

}  // namespace tilespmv::synthetic
