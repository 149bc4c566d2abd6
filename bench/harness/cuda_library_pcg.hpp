#pragma once

#include <memory>
#include <span>

#include "tile/csr.hpp"

namespace tilespmv::bench {

struct LibraryPcgReport {
    int iterations = 0;  ///< until the residual met the tolerance; as many as were allowed if it did not
    bool converged = false;
};

/// What a solver of ours is compared with: textbook conjugate gradients with a diagonal preconditioner as a good user
/// of NVIDIA's libraries writes them. cusparseSpMV after its preprocessing; dots, axpys and scal of cuBLAS, which read
/// and leave scalars in device memory, where two small kernels make alpha and beta of them; blocks of iterations as a
/// CUDA graph, after each of which the host looks at the residual. Needs cuSPARSE and cuBLAS in the build.
class LibraryPcg {
public:
    virtual ~LibraryPcg() = default;
    /// From x = 0 until ||r|| <= rtol ||b||, r as the recurrence has it. b, x: in the memory of the host.
    virtual LibraryPcgReport solve(std::span<const double> b, std::span<double> x, double rtol, int check_every,
                                   int max_iterations) = 0;
};

/// On the current GPU, with CSR algorithm 1 or 2 of cuSPARSE. `inverse_diagonal`: of M. Throws `Error`, `unavailable`
/// without a GPU or one of the libraries.
std::unique_ptr<LibraryPcg> make_library_pcg(const CsrMatrix<double>& a, std::span<const double> inverse_diagonal,
                                             int algorithm);

}  // namespace tilespmv::bench
