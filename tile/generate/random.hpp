#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "tile/types.hpp"

/// Randomness that is a pure function of a seed and of counters, in integer arithmetic, so that the generators give
/// the same bits on every machine and in any order of execution.
namespace tilespmv::synthetic {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

inline constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

/// The finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014), a bijection of 64-bit words.
constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

constexpr std::uint64_t hash(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    return mix(mix(mix(seed + kGolden) + a + kGolden) + b + kGolden);
}

/// A value of a matrix: uniform in [-1, 1), a multiple of 2^-52.
constexpr double value_at(std::uint64_t seed, index_t row, index_t col) {
    return static_cast<double>(hash(~seed, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(col)) >> 11) *
               0x1p-52 -
           1;
}

/// The random sequence of one row or edge (`index`) for one purpose (`stream`): splitmix64.
class Random {
public:
    Random(std::uint64_t seed, std::uint64_t stream, std::int64_t index)
        : state_(hash(seed, stream, static_cast<std::uint64_t>(index))) {}

    std::uint64_t next() { return mix(state_ += kGolden); }
    /// Uniform in [0, n), n > 0.
    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>((uint128{next()} * static_cast<std::uint64_t>(n)) >> 64);
    }
    /// Uniform in (0, 1), 53 bits.
    double unit() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }
    bool chance(double probability) { return unit() < probability; }

private:
    std::uint64_t state_;
};

/// A random bijection of [0, n), n <= 2^63: bijections of the next power of two, walked until they land in the range.
class Shuffle {
public:
    Shuffle(std::uint64_t seed, std::uint64_t n)
        : key_(mix(seed + kGolden)), n_(n), bits_(std::bit_width(std::max<std::uint64_t>(n, 2) - 1)) {}

    std::uint64_t operator()(std::uint64_t i) const {
        do i = scramble(i);
        while (i >= n_);
        return i;
    }

private:
    /// Adding a key, multiplying by an odd number and folding the high bits into the low ones can each be undone.
    [[nodiscard]] std::uint64_t scramble(std::uint64_t i) const {
        const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
        for (int round = 0; round < 4; ++round) {
            i = (i + key_) * kGolden & mask;
            i ^= i >> ((bits_ + 1) / 2);
        }
        return i;
    }

    std::uint64_t key_;
    std::uint64_t n_;
    int bits_;
};

/// Replaces `out` by a random subset of [0, n) with `count` <= n elements, ascending.
inline void sample_distinct(Random& random, index_t n, index_t count, std::vector<index_t>& out) {
    out.clear();
    const index_t wanted = std::min(count, n - count);  // of a large subset, draw what is left out
    while (static_cast<index_t>(out.size()) < wanted) {
        for (auto missing = wanted - static_cast<index_t>(out.size()); missing > 0; --missing) {
            out.push_back(static_cast<index_t>(random.below(n)));
        }
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
    }
    if (wanted == count) return;
    std::vector<index_t> absent(std::move(out));
    absent.push_back(n);
    out.clear();
    for (std::int64_t i = 0; const index_t skipped : absent) {
        for (; i < skipped; ++i) out.push_back(static_cast<index_t>(i));
        ++i;
    }
}

}  // namespace tilespmv::synthetic
