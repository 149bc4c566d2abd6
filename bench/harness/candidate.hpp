#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "bench/harness/device.hpp"
#include "bench/harness/product.hpp"
#include "kernels/operator.hpp"
#include "tile/csr.hpp"

namespace tilespmv::bench {

/// One way to multiply a matrix, on any device.
template <Value V>
struct Candidate {
    std::string operator_name;  ///< with its options
    std::string selector;       ///< the policy of an operator that works on tiles, empty for the others
    Accumulator accumulator = Accumulator::float64;
    /// What makes products of a matrix with a block of that kind; both must outlive it.
    std::function<ProductBuilder(const CsrMatrix<V>& a, std::span<const V> x)> bind;
    ProductKind kind = {};
};

/// The candidate of an operator of the device, by its specification. Throws a usage `Error` for a name or an
/// accumulator that the device does not have. `device` must outlive it.
template <Value V>
Candidate<V> make_candidate(Device& device, const std::string& specification, const std::string& selector,
                            std::optional<Accumulator> accumulator = {}, const ProductKind& kind = {});

}  // namespace tilespmv::bench
