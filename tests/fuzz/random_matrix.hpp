#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "tile/csr.hpp"

namespace tilespmv::fuzz {

/// Random choices, the same on every machine for the same seed.
class Random {
public:
    explicit Random(std::uint64_t seed) : bits_(seed) {}

    /// A whole number below n > 0.
    std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(n)); }
    /// True once in n times.
    bool once_in(std::int64_t n) { return below(n) == 0; }
    /// A number in [-1, 1).
    double number() { return std::ldexp(static_cast<double>(bits_() >> 11), -52) - 1.0; }
    template <class C>
    const auto& pick(const C& choices) {
        return choices[static_cast<std::size_t>(below(static_cast<std::int64_t>(std::size(choices))))];
    }

private:
    std::mt19937_64 bits_;
};

struct RandomMatrix {
    CsrMatrix<double> csr;
    std::string description;  ///< its size and what it is made of
    bool is_finite = true;
};

/// A matrix of up to some thousand rows and some ten thousand nonzeros: sizes around multiples of 16, 0 rows or columns
/// too, made of one to three of dense blocks, diagonals, scattered nonzeros, full and half full rows and columns, and
/// nonzeros 2^16 columns apart; some with empty stretches of rows, explicit zeros, numbers of very different size, Inf
/// and NaN. Values can be rounded to 16 bits without overflow.
RandomMatrix random_matrix(Random& random);

}  // namespace tilespmv::fuzz
