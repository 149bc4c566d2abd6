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

/// Whether a is nowhere below b.
bool is_above(const Line& a, const Line& b, double from, double to) {
    if (a.at(from) < b.at(from)) return false;
    return std::isinf(to) ? a.slope >= b.slope : a.at(to) >= b.at(to);
}

/// Of many lines, those that may be the lowest somewhere: their numbers. Of lines that agree the first.
std::vector<std::size_t> low_lines(std::span<const Line> lines, double from, double to) {
    std::vector<std::size_t> low;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        bool is_low = true;
        for (std::size_t j = 0; j < lines.size() && is_low; ++j) {
            if (i == j || !is_above(lines[i], lines[j], from, to)) continue;
            is_low = is_above(lines[j], lines[i], from, to) && i < j;
        }
        if (is_low) low.push_back(i);
    }
    return low;
}

}  // namespace

std::vector<EnvelopePart> lower_envelope(std::span<const Line> all, double from, double to) {
    std::vector<EnvelopePart> parts;
    if (all.empty()) return parts;
    const auto numbers = low_lines(all, from, to);
    std::vector<Line> lines;
    for (const std::size_t number : numbers) lines.push_back(all[number]);
    const auto ends = ends_of_parts(lines, from, to);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        const std::size_t best = numbers[lowest_at(lines, inside(ends[i], ends[i + 1]))];
        if (!parts.empty() && parts.back().best == best)
            parts.back().to = ends[i + 1];
        else
            parts.push_back({ends[i], ends[i + 1], best});
    }
    return parts;
}

}  // namespace tilespmv
