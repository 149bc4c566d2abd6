#pragma once

#include <functional>

#include "selector/csr_shapes.hpp"
#include "tile/options/options.hpp"

/// The options of csr-vector; what is not given is chosen (`selector/csr_shapes.hpp`).
namespace tilespmv::cuda {

/// Reads the options threads, rule and flight, all of them, and chooses what is not given by the lengths of all rows;
/// but four nonzeros are in flight if only the threads are given or follow from the mean row. Throws a usage `Error`
/// for a rule beside threads. `lengths_of_rows` is called only if it matters.
VectorShape read_vector_shape(Options& options, index_t rows, offset_t nnz,
                              const std::function<RowLengths()>& lengths_of_rows, const VectorTuning& tuning);

}  // namespace tilespmv::cuda
