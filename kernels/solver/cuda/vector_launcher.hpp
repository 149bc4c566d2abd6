#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/solver/cuda/finish.hpp"
#include "kernels/solver/space.hpp"
#include "kernels/solver/vector_shapes.hpp"

namespace tilespmv::solver {

/// A diagonal M in device memory; M = I if there are no values.
template <class T>
struct DiagonalView {
    const T* values = nullptr;
};

/// Launches the kernels over vectors of n values of T on a stream, in their shapes. Vectors lie at multiples of 16
/// bytes. All of them may start before the kernel before is complete (see `kernels/cuda/dependent_launch.cuh`); none
/// allocates or waits, so that they can be captured into a graph. Operations of an iteration (advance, inner_products,
/// direction, step_length, move, ratio) do nothing once `Scalars::end` is set; the others always work. Reductions give
/// the same bits in every run with the same shapes; one at a time, as they share partial sums. Every launch throws
/// `Error` if it fails.
template <class T>
class VectorLauncher {
public:
    VectorLauncher(std::size_t n, const VectorShapes& shapes, const cuda::DeviceContext& on);

    void advance(const Iterates<T>& v, const Scalars* scalars) const;
    /// With w = M r.
    void advance(const Iterates<T>& v, const Scalars* scalars, const DiagonalView<T>& m) const;
    void inner_products(const Iterates<T>& v, const Finish& finish) const;
    void direction(const Iterates<T>& v, const Scalars* scalars) const;
    void step_length(const Iterates<T>& v, const Finish& finish) const;
    void move(const Iterates<T>& v, const Scalars* scalars) const;
    /// With w = M r, and `ratio`.
    void move(const Iterates<T>& v, const DiagonalView<T>& m, const Finish& finish) const;
    void ratio(const Iterates<T>& v, const Finish& finish) const;

    /// r'r
    void residual2(const T* r, const Finish& finish) const;
    void sum(const T* v, const Finish& finish) const;
    /// v -= *sum / count
    void subtract_mean(T* v, const double* sum, double count) const;
    /// w = M r
    void times_diagonal(const DiagonalView<T>& m, const T* r, T* w) const;

private:
    template <class Op>
    void launch(const Op& op) const;
    template <class Op>
    void launch_reduce(const Op& op, const Finish& finish) const;

    std::size_t n_;
    cuda::DeviceContext on_;
    VectorShapes shapes_;
    cuda::DeviceBuffer<double> partials_;
    cuda::DeviceBuffer<unsigned> arrivals_;
};

}  // namespace tilespmv::solver
