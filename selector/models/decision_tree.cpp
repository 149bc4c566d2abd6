#include "selector/models/decision_tree.hpp"

#include <algorithm>
#include <cmath>

namespace tilespmv {
namespace {

/// Where lines cross within a domain, with its ends; in order.
std::vector<double> ends_of_parts(std::span<const Line> lines, double from, double to) {
    std::vector<double> ends{from, to};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const double slopes = lines[i].slope - lines[j].slope;
            if (slopes == 0) continue;
            const double n = (lines[j].intercept - lines[i].intercept) / slopes;
            if (n > from && n < to) ends.push_back(n);
        }
    }
    std::ranges::sort(ends);
    const auto [first, last] = std::ranges::unique(ends);
    ends.erase(first, last);
    return ends;
}

/// At the ends lines tie, inside they do not.
double inside(double from, double to) { return std::isinf(to) ? 2 * from + 1 : (from + to) / 2; }

std::size_t lowest_at(std::span<const Line> lines, double n) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (lines[i].at(n) < lines[best].at(n)) best = i;
    }
    return best;
}

}  // namespace

std::vector<EnvelopePart> lower_envelope(std::span<const Line> lines, double from, double to) {
    std::vector<EnvelopePart> parts;
    if (lines.empty()) return parts;
    const auto ends = ends_of_parts(lines, from, to);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        const std::size_t best = lowest_at(lines, inside(ends[i], ends[i + 1]));
        if (!parts.empty() && parts.back().best == best)
            parts.back().to = ends[i + 1];
        else
            parts.push_back({ends[i], ends[i + 1], best});
    }
    return parts;
}

}  // namespace tilespmv
