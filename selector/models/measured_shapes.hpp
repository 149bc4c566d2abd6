#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selector/models/line.hpp"
#include "selector/models/vector_model.hpp"

/// Times of launch shapes, as their lines are drawn through them.
namespace tilespmv {

/// What was measured of a candidate, and where it takes longer by a step.
struct MeasuredShape {
    LaunchShape shape = {};
    std::vector<TimeAt> times = {};  ///< by ascending n
    std::vector<std::size_t> steps = {};
};

/// A size at which a step is as high as it gets: a few percent behind.
constexpr std::size_t behind_step(std::size_t step) { return (step + step / 16) | 1; }

Line line_through(const TimeAt& a, const TimeAt& b);

/// All candidates. Times at a step, and behind it, are left out where those behind are no longer than before. Where
/// those that were measured behind a step take less there than a line between the sizes around, at which all shapes
/// were measured, has it, the others get a time as much below their lines. Of two sizes within a hundredth the first is
/// kept, and where half of the cache does not hold the vectors, times are evened out over neighbouring sizes.
std::vector<MeasuredShape> measured_candidates(const VectorWork& work, const Probe& probe,
                                               std::span<const VectorPoint> points);

}  // namespace tilespmv
