#pragma once

#include <string>
#include <vector>

#include "kernels/registry.hpp"
#include "tile/csr.hpp"

namespace tilespmv::bench {

struct ContestOptions {
    Backend backend = Backend::cuda;        ///< where ours runs; on the CPU there is no library to compare with
    std::string preconditioner = "jacobi";  ///< of ours; the library has Jacobi only and is left out otherwise
    std::string operator_name = "auto";     ///< of ours
    double rtol = 1e-8;
    int check_every = 32;  ///< on the GPU; on the CPU every iteration is looked at
    int max_iterations = 20'000;
    double cpu_seconds = 2;      ///< a solve that takes longer on the CPU is measured in part
    double seconds = 0.3;        ///< solves of ours are repeated for so long, at least 3 times
    bool with_methods = true;    ///< each method in graphs and in the persistent kernel, and the library
    bool with_reference = true;  ///< the iterations of textbook PCG on the CPU, solved to the end
    bool with_cpu = true;        ///< times of one thread and of all
    int gpus = 1;                ///< so many, too, each with a part of the rows, if more than one
};

/// One way to solve a system, measured.
struct SolverTiming {
    std::string name;  ///< "chronopoulos-gear", "library", "cpu-1" ...
    std::string how;   ///< as the solver says, or "not run" and why
    int iterations = 0;
    double seconds = 0;  ///< of a solve from b to x in the memory of the host: the median
    double seconds_per_iteration = 0;
    double residual = 0;       ///< ||b - A x|| / ||b||
    double setup_seconds = 0;  ///< of everything before the first solve
    bool converged = false;
    std::string end;               ///< how it ended ("not positive definite"); empty where nobody says, and of a part
    bool is_extrapolated = false;  ///< `seconds` are those of some iterations times their number
    std::string error;             ///< why it was not measured; then nothing else counts
};

/// The name of textbook PCG on the CPU with the preconditioner of ours, by whose iterations others can be judged.
inline constexpr const char* kReferenceName = "reference";

/// All ways to solve A x = b for a b of sines: on the GPU as a user gets it ("default"), with each method in graphs and
/// in the persistent kernel, and on several GPUs if asked for; the library with the better algorithm of cuSPARSE;
/// textbook PCG on the CPU, to the end as the reference, and with one thread and with all. A way that fails has its
/// error. `default` is the first.
std::vector<SolverTiming> solver_contest(const CsrMatrix<double>& a, const ContestOptions& options);

/// The way that a user gets with each preconditioner, by their specifications: none, jacobi and ssor-ai. Without times
/// of an iteration.
std::vector<SolverTiming> preconditioner_contest(const CsrMatrix<double>& a, const ContestOptions& options);

}  // namespace tilespmv::bench
