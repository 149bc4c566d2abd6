#pragma once

#include <span>
#include <vector>

#include "tile/csr.hpp"

// Dependent products x <- scale * A * x of a square matrix, as graph and chain measure them. Before products of a
// matrix that is not square stands an axpy, which writes their x.
namespace tilespmv::bench {

/// Products of a chain until it begins again with the first x. So few, that small parts of x do not underflow where
/// others dominate the matrix; even, so that the vectors that change places do so in every round alike.
inline constexpr int kChainProducts = 20;
/// Products in a graph: rounds of a chain, or those after axpys.
inline constexpr int kGraphProducts = 5 * kChainProducts;

/// The vectors of a chain: the x that it begins with, and two that change places.
enum class ChainVector { first, one, other };

/// For each product of a round the scale by which the largest element of its y is of size 1, so that nothing overflows
/// or vanishes; 1 where A * x is zero or not finite. `a` is square; x: a.cols values.
template <Value V>
std::vector<double> chain_scales(const CsrMatrix<V>& a, std::span<const V> x);

/// Calls multiply(scale, from, to) for `products` products that depend on each other.
template <class Multiply>
void run_chain(std::span<const double> scales, int products, Multiply&& multiply) {
    for (int i = 0; i < products; ++i) {
        const auto step = static_cast<std::size_t>(i % kChainProducts);
        const bool even = i % 2 == 0;
        const ChainVector from = step == 0 ? ChainVector::first : even ? ChainVector::other : ChainVector::one;
        multiply(scales[step], from, even ? ChainVector::one : ChainVector::other);
    }
}

}  // namespace tilespmv::bench
