#pragma once

#include "kernels/solver/cuda/finish.hpp"
#include "kernels/solver/recurrence.hpp"

namespace tilespmv::solver {

/// By one thread.
__device__ inline void take(Recurrence recurrence, const double* sums, Scalars& scalars) {
    switch (recurrence) {
        case Recurrence::inner_products:
            take_inner_products(scalars, sums[0], sums[1], sums[2]);
            break;
        case Recurrence::step_length:
            take_step_length(scalars, sums[0]);
            break;
        case Recurrence::ratio:
            take_ratio(scalars, sums[0], sums[1]);
            break;
        case Recurrence::none:
            break;
    }
}

/// By one thread of the last block of a reduction.
__device__ inline void finish_with(const Finish& finish, const double* sums, int count) {
    if (finish.recurrence == Recurrence::none) {
        for (int k = 0; k < count; ++k) finish.sums[k] = sums[k];
        return;
    }
    Scalars scalars = *finish.scalars;
    take(finish.recurrence, sums, scalars);
    *finish.scalars = scalars;
}

}  // namespace tilespmv::solver
