#include "selector/models/anchors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selector/models/similarity_vectors.hpp"
#include "tile/types.hpp"

namespace tilespmv {
namespace {

double squared_distance(const Place& a, const Place& b) {
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
    return squares;
}

/// Modulo 2^32, as the vectors count.
template <class Units>
std::uint32_t norm_of(const Units& units) {
    std::uint32_t norm = 0;
    for (const std::int32_t unit : units) norm += static_cast<std::uint32_t>(unit * unit);
    return norm;
}

}  // namespace

Anchors::Anchors(std::span<const Anchor> anchors)
    : size_(anchors.size()), weights_(div_up(anchors.size(), kBlock) * kBlock) {
    std::ranges::transform(anchors, weights_.begin(), &Anchor::weight);
    std::vector<Units> all(size_);
    for (std::size_t i = 0; i < size_; ++i) {
        if (to_units(anchors[i].place, all[i])) continue;
        std::ranges::transform(anchors, std::back_inserter(places_), &Anchor::place);
        return;
    }
    units_.resize(weights_.size() * Units{}.size());
    norms_.resize(weights_.size());
    for (std::size_t i = 0; i < size_; ++i) put(i, all[i]);
}

/// False if one is no multiple of the unit, or too large.
bool Anchors::to_units(const Place& place, Units& units) {
    for (std::size_t i = 0; i < place.size(); ++i) {
        const double exact = place[i] * kUnits;
        if (!(std::abs(exact) <= std::numeric_limits<std::int16_t>::max())) return false;
        units[i] = static_cast<std::int16_t>(exact + std::copysign(0.5, exact));
        if (units[i] / kUnits != place[i]) return false;
    }
    return true;
}

void Anchors::put(std::size_t i, const Units& units) {
    std::int16_t* const block = units_.data() + i / kBlock * kBlock * units.size();
    for (std::size_t k = 0; k < units.size(); ++k) {
        block[k / 2 * 2 * kBlock + 2 * (i % kBlock) + k % 2] = units[k];
        least_[k] = i == 0 ? units[k] : std::min(least_[k], units[k]);
        most_[k] = i == 0 ? units[k] : std::max(most_[k], units[k]);
    }
    norms_[i] = norm_of(units);
}

Place Anchors::place(std::size_t i) const {
    if (!places_.empty()) return places_[i];
    const std::int16_t* const block = units_.data() + i / kBlock * kBlock * Units{}.size();
    Place place;
    for (std::size_t k = 0; k < place.size(); ++k)
        place[k] = static_cast<double>(block[k / 2 * 2 * kBlock + 2 * (i % kBlock) + k % 2]) / kUnits;
    return place;
}

/// Whether squares of distances fit 32 bits.
bool Anchors::all_are_near(const Units& from) const {
    std::int64_t most = 0;
    for (std::size_t k = 0; k < from.size(); ++k) {
        const std::int64_t farthest = std::max(most_[k] - from[k], from[k] - least_[k]);
        most += farthest * farthest;
    }
    return most <= std::numeric_limits<std::uint32_t>::max();
}

Anchors::Origin Anchors::origin_at(const Place& from) const {
    Origin origin{from};
    origin.is_near = places_.empty() && to_units(from, origin.units) && all_are_near(origin.units);
    return origin;
}

void Anchors::find_squares(const Origin& from, std::size_t first, std::span<double> squares) const {
    if (from.is_near) {
        const std::span units(units_.data() + first * from.units.size(), squares.size() * from.units.size());
        squared_unit_distances({units, {norms_.data() + first, squares.size()}}, from.units, norm_of(from.units),
                               squares);
        return;
    }
    for (std::size_t i = 0; i < squares.size(); ++i)
        squares[i] = first + i < size_ ? squared_distance(from.place, place(first + i)) : 0;
}

}  // namespace tilespmv
