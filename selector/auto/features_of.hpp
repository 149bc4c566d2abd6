#pragma once

#include <cstddef>
#include <span>

#include "selector/auto/matrix_features.hpp"
#include "selector/auto/number_sizes.hpp"
#include "selector/auto/pattern_reader.hpp"
#include "selector/csr_shapes.hpp"
#include "tile/csr.hpp"

/// How the features of a matrix are found.
namespace tilespmv {

/// The pattern of a CSR matrix on the host, of any type of values.
struct PatternView {
    index_t rows = 0;
    index_t cols = 0;
    std::span<const offset_t> row_ptrs;  ///< rows + 1
    std::span<const index_t> col_idxs;
    std::size_t value_bytes = 8;  ///< of a nonzero and of an element of x and y
    std::size_t sum_bytes = 0;    ///< of what a product accumulates in; 0: what it does if nobody asks for another

    [[nodiscard]] offset_t nnz() const { return static_cast<offset_t>(col_idxs.size()); }
    [[nodiscard]] NumberSizes sizes() const {
        return {value_bytes, sum_bytes > 0 ? sum_bytes : default_sum_bytes(value_bytes)};
    }
};

template <Value V>
PatternView pattern_of(const CsrMatrix<V>& a) {
    return {.rows = a.rows, .cols = a.cols, .row_ptrs = a.row_ptrs, .col_idxs = a.col_idxs, .value_bytes = sizeof(V)};
}

/// The features of a matrix of which the sizes are known, and of one on the host. Found from the statistics of all
/// rows, from row pointers in places that the sizes tell, and the columns of a sample: one in 32 of them for blocks, at
/// least 8,192 and at most 49,152, and tile rows with about a quarter as many nonzeros; of 64 tile rows, if rows have
/// the lengths of full tiles, up to 16 tiles; all columns where those of the sample lie on few diagonals. They are read
/// at twice, so that little is waited for. The result does not depend on where the matrix is or on the number of
/// threads. The arrays must be those of a valid CSR matrix.
MatrixFeatures features_of(const MatrixFeatures& sizes, PatternReader& reader);
MatrixFeatures features_of(const PatternView& a);

/// Steps of a slice of sell on an H200.
int sell_steps_of(const MatrixFeatures& f);

}  // namespace tilespmv
