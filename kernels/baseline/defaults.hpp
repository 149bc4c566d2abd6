#pragma once

#include "tile/types.hpp"

/// What the kernels for CSR do unless they are told otherwise; depends on the mean number of nonzeros a row alone.
namespace tilespmv::baseline {

/// Threads of csr-vector for a row: the fewest of 2, 4, 8, 16 and 32 that leave at most 4 nonzeros of a mean row to
/// each, which is what one keeps in flight.
int threads_per_row(index_t rows, offset_t nnz);

}  // namespace tilespmv::baseline
