#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilespmv {

/// Where a matrix stands among others for an operator; see `place_of` in `similarity.hpp`.
using Place = std::array<double, 30>;

/// A measured matrix that others are compared with.
struct Anchor {
    Place place{};
    double weight = 0;  ///< of its similarity in the correction

    friend bool operator==(const Anchor&, const Anchor&) = default;
};

/// A list of anchors, kept so that distances to all of them are found fast: places as 16-bit multiples of the unit to
/// which `place_of` rounds, in blocks of anchors with their coordinates side by side. If one of them is none, all are
/// kept as they are.
class Anchors {
public:
    static constexpr std::size_t kBlock = 16;  ///< anchors, those that fill up the last one included
    static constexpr double kUnits = 1e4;      ///< of a coordinate in 1

    Anchors() = default;
    explicit Anchors(std::span<const Anchor> anchors);

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] Anchor operator[](std::size_t i) const { return {place(i), weights_[i]}; }
    [[nodiscard]] std::span<double> weights() noexcept { return {weights_.data(), size_}; }
    /// 0 for those that fill up the last block.
    [[nodiscard]] std::span<const double> block_weights() const noexcept { return weights_; }
    /// Calls `take(first, squares)` for the squares of distances from a place, in order, so many anchors from `first`
    /// on at a time as stay in the cache.
    template <class F>
    void visit_squared_distances(const Place& from, F&& take) const {
        const Origin origin = origin_at(from);
        std::array<double, 16 * kBlock> squares;
        for (std::size_t first = 0; first < weights_.size(); first += squares.size()) {
            const auto some = std::span(squares).first(std::min(squares.size(), weights_.size() - first));
            find_squares(origin, first, some);
            take(first, std::span<const double>(some));
        }
    }

    friend bool operator==(const Anchors&, const Anchors&) = default;

private:
    using Units = std::array<std::int16_t, 30>;  ///< coordinates, in pairs

    /// What distances are measured from.
    struct Origin {
        const Place& place;
        Units units{};
        bool is_near = false;  ///< all squares fit 32 bits
    };

    static bool to_units(const Place& place, Units& units);
    void put(std::size_t i, const Units& units);
    [[nodiscard]] Place place(std::size_t i) const;
    [[nodiscard]] Origin origin_at(const Place& from) const;
    [[nodiscard]] bool all_are_near(const Units& from) const;
    void find_squares(const Origin& from, std::size_t first, std::span<double> squares) const;

    std::size_t size_ = 0;
    std::vector<double> weights_;
    std::vector<std::int16_t> units_;   // of a block its pairs of coordinates, each of all anchors
    std::vector<std::uint32_t> norms_;  // sums of their squares, modulo 2^32
    Units least_{};                     // of each coordinate
    Units most_{};
    std::vector<Place> places_;  // if there are no units
};

}  // namespace tilespmv
