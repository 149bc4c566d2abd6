#pragma once

#include <span>

#include "kernels/operator.hpp"

namespace tilespmv::cpu {

/// What operators on the CPU derive from: facts in the constructor, and the product.
template <CpuValue V>
class HostOperator : public Operator<V> {
protected:
    using Operator<V>::Operator;
    /// y = alpha * A * x + beta * y. Sizes are right, alpha is not 0.
    virtual void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const = 0;
    /// The same for several columns, in any layouts. This one takes one after the other, those in row-major layout by
    /// way of copies.
    virtual void multiply_block(V alpha, const Block<const V>& x, V beta, const Block<V>& y) const;
    /// As many as the matrix has, of an operator whose facts do not refuse them. Throws `Error` unless overridden.
    virtual void replace_values(std::span<const V> values);

private:
    void multiply_column(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                         const Run& run) const final;
    void multiply_columns(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                          const Run& run) const final;
    bool replace(const Block<const V>& values, const Run& run) final;
};

}  // namespace tilespmv::cpu
