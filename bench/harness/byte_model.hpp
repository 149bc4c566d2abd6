#pragma once

#include <cstdint>

#include "tile/types.hpp"

namespace tilespmv::bench {

/// Bytes that y = alpha*A*x + beta*y has to move: the operator's form of A once, x once, y written once, and y read
/// once if beta is not 0; x and y of several columns for each. It is a model, not a count: it takes x as read in full
/// and kept in the cache from then on, so it is too low where x is fetched again and too high where columns are empty.
struct ProductShape {
    std::uint64_t matrix_bytes = 0;  ///< `Operator::matrix_bytes`
    index_t rows = 0;
    index_t cols = 0;
    int columns = 1;  ///< of x and y
    int value_bytes = 0;
    bool reads_y = false;  ///< beta != 0
};

constexpr std::uint64_t product_bytes(const ProductShape& p) {
    const auto value_bytes = static_cast<std::uint64_t>(p.value_bytes) * static_cast<std::uint64_t>(p.columns);
    const auto y_bytes = static_cast<std::uint64_t>(p.rows) * value_bytes;
    return p.matrix_bytes + static_cast<std::uint64_t>(p.cols) * value_bytes + (p.reads_y ? 2 : 1) * y_bytes;
}

/// Floating-point operations of one product: a multiplication and an addition for each nonzero.
constexpr double product_flops(offset_t nnz) { return 2.0 * static_cast<double>(nnz); }

}  // namespace tilespmv::bench
