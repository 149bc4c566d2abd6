#pragma once

#include <span>

#include "selector/csr_shapes.hpp"
#include "tile/options/options.hpp"

/// The options of csr-vector and csr-multiround; what is not given is chosen (`selector/csr_shapes.hpp`).
namespace tilespmv::cuda {

/// How csr-vector takes a row.
struct VectorShape {
    int threads = 0;  ///< of a row
    int flight = 0;   ///< nonzeros that a thread has in flight

    friend bool operator==(const VectorShape&, const VectorShape&) = default;
};

/// Reads the options threads, rule and flight, all of them, and chooses what is not given: nonzeros in flight by
/// `tuning`, threads by the lengths of all rows. Throws a usage `Error` for a rule beside threads. `row_ptrs`: those of
/// the matrix.
VectorShape read_vector_shape(Options& options, std::span<const offset_t> row_ptrs, const VectorTuning& tuning);

/// Reads the options rows, threads, products and group, all of them, and chooses what is not given. Throws a usage
/// `Error` if the block has fewer groups than rows.
MultiroundShape read_multiround_shape(Options& options, index_t rows, offset_t nnz, const MultiroundTuning& tuning);

}  // namespace tilespmv::cuda
