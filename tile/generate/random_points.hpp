#pragma once

#include <cstdint>

#include "tile/generate/delaunay.hpp"
#include "tile/generate/random.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::synthetic {

/// n distinct points of a square: the images of 0 to n - 1 under a bijection.
inline Buffer<Point> random_points(index_t n, std::uint64_t seed) {
    constexpr std::int64_t kGrain = 4096;
    constexpr std::int64_t kMask = (std::int64_t{1} << kCoordinateBits) - 1;
    const Shuffle shuffle(seed, std::uint64_t{1} << (2 * kCoordinateBits));
    Buffer<Point> points(n);
    parallel_for(0, n, kGrain, [&](std::int64_t i) {
        const auto bits = static_cast<std::int64_t>(shuffle(static_cast<std::uint64_t>(i)));
        points[i] = {bits & kMask, bits >> kCoordinateBits};
    });
    return points;
}

}  // namespace tilespmv::synthetic
