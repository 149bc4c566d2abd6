#pragma once

#include <cuda_runtime_api.h>

#include "kernels/solver/scalars.hpp"

/// What becomes of the sums of a reduction.
namespace tilespmv::solver {

/// Which of `kernels/solver/recurrence.hpp` takes them.
enum class Recurrence {
    none,
    inner_products,  ///< of r'w, s'w, r'r
    step_length,     ///< of p'q
    ratio,           ///< of r'w, r'r
};

inline constexpr int kMostSums = 3;

/// In device memory.
struct Finish {
    Scalars* scalars = nullptr;  ///< read by all kernels of an iteration, written by the recurrence
    double* sums = nullptr;      ///< `kMostSums`, where the sums are left if there is no recurrence to take them
    Recurrence recurrence = Recurrence::none;
};

/// Adds `ranks` groups of `kMostSums` sums in the order of the ranks and lets the recurrence take them: how a reduction
/// over several GPUs ends, each of which has left its own by a `Finish` without one and gathered those of all. Without
/// a recurrence the sums over all ranks are left in `finish.sums`. `gathered` may be written by the kernel before.
void launch_finish(const double* gathered, int ranks, const Finish& finish, cudaStream_t stream);

}  // namespace tilespmv::solver
