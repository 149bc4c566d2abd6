#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/check.hpp"
#include "kernels/operator.hpp"

namespace tilespmv::bench {

/// An operator bound to vectors on its device, ready to be measured: y = A * x. Sampling, checking and reporting know
/// operators only as this, so that one on another device needs only its own `Product` and `Device`.
class Product {
public:
    virtual ~Product() = default;
    /// One product. It may go on after the call has returned; the stopwatch of the device waits for it.
    virtual void run() = 0;
    /// Fills y with NaN, so that a row that is never written shows.
    virtual void poison() = 0;
    /// Checks y against the oracle.
    [[nodiscard]] virtual CheckResult check(const ExpectedProduct& expected) const = 0;
    /// Bytes of the operator's form of A.
    [[nodiscard]] virtual std::uint64_t matrix_bytes() const = 0;
};

/// The vector that products are measured with: `size` values in [0.5, 1.5), the same on every machine.
template <Value V>
Buffer<V> make_x(index_t size);

/// A product in the memory of the host. Converts `a` by the policy `selector` if the operator needs tiles.
/// `a` and `x` must outlive it.
template <Value V>
std::unique_ptr<Product> make_host_product(const OperatorInfo<V>& info, const std::string& selector,
                                           const CsrMatrix<V>& a, std::span<const V> x);

}  // namespace tilespmv::bench
