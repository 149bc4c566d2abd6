#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/random_matrix.hpp"
#include "tile/csr.hpp"

namespace tilespmv::fuzz {

/// A square system A x = b with several right-hand sides. Whether it can be solved is left to those who look at it.
struct RandomSystem {
    CsrMatrix<double> a;
    std::vector<std::vector<double>> b;  ///< one to three right-hand sides
    std::vector<double> x0;              ///< a first guess, empty for none
    std::string description;             ///< its size and what it is made of
};

/// Up to 60 unknowns, 0 too: positive definite and well-conditioned, singular, indefinite, dense, diagonal, graph
/// Laplacians or several unknowns a node; some of them spoilt: nearly or not at all symmetric, with explicit zeros and
/// entries that lack a partner, scaled as a whole or row by row from the smallest to the largest numbers, with NaN and
/// Inf. Right-hand sides and first guesses are zero, random, huge, tiny, or not finite.
RandomSystem random_system(Random& random);

}  // namespace tilespmv::fuzz
