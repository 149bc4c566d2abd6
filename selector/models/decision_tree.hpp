#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selector/models/line.hpp"

/// Which of some lines is lowest where: the lower envelope, found as a person would by hand (Wang, thesis, Zhejiang
/// University of Technology, 2017, chapter 3: intersections within a domain, the best one between two of them).
namespace tilespmv {

/// The domain [from, to) of a line among others: `best` is its index.
struct EnvelopePart {
    double from = 0;
    double to = 0;
    std::size_t best = 0;

    friend bool operator==(const EnvelopePart&, const EnvelopePart&) = default;
};

/// The parts of [from, to) in order, each with the line that is lowest within it; neighbours differ. `to` may be
/// infinite. Of lines that agree the first is taken. Empty for no lines.
std::vector<EnvelopePart> lower_envelope(std::span<const Line> lines, double from, double to);

}  // namespace tilespmv
