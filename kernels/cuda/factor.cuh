#pragma once

#include "kernels/block.hpp"

namespace tilespmv::cuda {

/// A `Scalar` as kernels read it.
struct Factor {
    double value = 0;
    const double* where = nullptr;

    Factor() = default;
    explicit Factor(const Scalar& scalar) : value(scalar.value()), where(scalar.where()) {}
    [[nodiscard]] __device__ double get() const { return where == nullptr ? value : *where; }
};

}  // namespace tilespmv::cuda
