#include "kernels/solver/cuda/finish.cuh"

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"

namespace tilespmv::solver {
namespace {

struct GatheredSums {
    const double* gathered;
    int ranks;
    Finish finish;
};

__global__ void finish_gathered(const __grid_constant__ GatheredSums p) {
    cuda::wait_for_stream();
    double sums[kMostSums] = {};
    for (int rank = 0; rank < p.ranks; ++rank) {
        for (int k = 0; k < kMostSums; ++k) sums[k] += p.gathered[rank * kMostSums + k];
    }
    finish_with(p.finish, sums, kMostSums);
}

}  // namespace

void launch_finish(const double* gathered, int ranks, const Finish& finish, cudaStream_t stream) {
    cuda::launch_dependent(finish_gathered, 1, 1, GatheredSums{gathered, ranks, finish}, stream);
}

}  // namespace tilespmv::solver
