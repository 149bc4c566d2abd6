#pragma once

#include <string>

#include "tile/csr.hpp"
#include "tile/types.hpp"

namespace tilespmv::bench {

/// Seconds, medians, of a matrix that is assembled on the GPU from entries in no order, one in five of which has the
/// place of another.
struct AssemblyTimes {
    offset_t nnz = 0;
    double pattern = 0;  ///< to find it
    double sort = 0;     ///< CUB's radix sort of as many pairs of a key of the same bits and a value of float64
    double sum = 0;      ///< to sum values again
    double copy = 0;     ///< of the values of all entries, on the GPU
};
/// Throws `Error`, `unavailable` without a GPU.
AssemblyTimes time_assembly(offset_t entries);

/// Seconds, medians, of new values of an operator on a GPU.
struct NewValueTimes {
    std::string takes;  ///< what `auto` takes
    double update = 0;
    double copy = 0;  ///< of the values of the matrix, on the GPU
};
/// Throws `Error`, `unavailable` without a GPU.
NewValueTimes time_new_values(const std::string& specification, const CsrMatrix<double>& a);

}  // namespace tilespmv::bench
