#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/solver/cuda/block_sums.cuh"
#include "kernels/solver/cuda/finish.cuh"
#include "kernels/solver/cuda/pack.cuh"
#include "kernels/solver/vector_shapes.hpp"

/// The two kernels over vectors, for any operation of `vector_ops.cuh`: one that only writes vectors and one that adds
/// up.
namespace tilespmv::solver {

inline constexpr int kMostThreads = 1024;  ///< of a block

template <class Op>
struct Elementwise {
    Op op;
    std::int64_t n = 0;
    int elements = 0;  ///< of a thread in a part; see `over_vector`
};

template <int kCount, class Op>
__global__ void __launch_bounds__(kMostThreads, 1) elementwise(const __grid_constant__ Elementwise<Op> p) {
    cuda::wait_for_stream();
    Op op = p.op;
    op.start();
    over_vector<kCount>(p.n, p.elements, op);
}

template <class Op>
struct Reduce : Elementwise<Op> {
    Partials partials;
    Finish finish;
};

/// No block sees an end that this launch sets: the last block sets it when all others have read it.
template <int kCount, class Op>
__global__ void __launch_bounds__(kMostThreads, 1) reduce(const __grid_constant__ Reduce<Op> p) {
    __shared__ BlockSums<Op::kSums> stage;
    cuda::wait_for_stream();
    Op op = p.op;
    op.start();
    double sums[Op::kSums] = {};
    over_vector<kCount>(p.n, p.elements, op, sums);
    if (op.ended()) return;
    if (sum_over_blocks(sums, p.partials, stage) && threadIdx.x == 0) finish_with(p.finish, sums, Op::kSums);
}

}  // namespace tilespmv::solver
