#pragma once

#include <cstddef>
#include <string>

#include "tile/csr.hpp"
#include "tile/types.hpp"

namespace tilespmv::bench {

/// Seconds, medians, of a matrix that is assembled on the GPU from entries in no order, one in five of which has the
/// place of another.
struct AssemblyTimes {
    offset_t nnz = 0;
    double pattern = 0;          ///< to find it
    double sort = 0;             ///< CUB's radix sort of as many pairs of a key of the same bits and a value of float64
    double sum = 0;              ///< to sum values again
    double copy = 0;             ///< of the values of all entries, on the GPU
    std::size_t peak_bytes = 0;  ///< of the GPU at most while it is found; 0 on one without pools of memory
    std::size_t bytes = 0;       ///< that are kept of these
};
/// Throws `Error`, `unavailable` without a GPU.
AssemblyTimes time_assembly(offset_t entries);

/// Seconds, medians, of new values of an operator on a GPU, and what memory it took to make it of CSR there.
struct NewValueTimes {
    std::string takes;  ///< what `auto` takes
    double update = 0;
    double copy = 0;  ///< of the values of the matrix, on the GPU
    double peak = 0;  ///< CSR and all that its preparation holds at most, over CSR and the operator; as above
};
/// A matrix with row pointers of 32 bits. Throws `Error`, `unavailable` without a GPU.
NewValueTimes time_new_values(const std::string& specification, const CsrMatrix<double>& a);

}  // namespace tilespmv::bench
