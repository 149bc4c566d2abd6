#pragma once

#include "tile/options.hpp"
#include "tile/types.hpp"

/// What the kernels for CSR do unless they are told otherwise. It costs nothing to find out: the number of rows and
/// nonzeros decides.
namespace tilespmv::cuda {

/// Threads of csr-vector for a row: the fewest of 2, 4, 8, 16 and 32 that leave at most 4 nonzeros of a mean row to
/// each, which is what one keeps in flight.
int threads_per_row(index_t rows, offset_t nnz);

inline constexpr int kMultiroundMaxThreads = 512;

/// How csr-multiround cuts its work.
struct MultiroundShape {
    int rows = 0;      ///< N: consecutive rows of a block
    int threads = 0;   ///< M: threads of a block
    int products = 0;  ///< R: products that a thread computes per round
    int group = 0;     ///< 2^k: threads that add up a row

    friend bool operator==(const MultiroundShape&, const MultiroundShape&) = default;
};

/// Reads the options rows, threads, products and group, all of them, and chooses what is not given: 256 threads and 8
/// products; the smallest group for which the rows of a block, as many as it has groups, fill at most 7/8 of a round in
/// the mean. Throws a usage `Error` if the block has fewer groups than rows.
MultiroundShape multiround_shape(Options& options, index_t rows, offset_t nnz);

}  // namespace tilespmv::cuda
