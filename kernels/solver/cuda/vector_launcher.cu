#include "kernels/solver/cuda/vector_launcher.hpp"

#include "kernels/solver/cuda/vector_launch.cuh"
#include "kernels/solver/cuda/vector_ops.cuh"

namespace tilespmv::solver {
template <class T>
VectorLauncher<T>::VectorLauncher(std::size_t n, const VectorShapes& shapes, const cuda::DeviceContext& on)
    : n_(n),
      on_(on),
      shapes_(shapes),
      partials_(static_cast<std::size_t>(blocks_for(shapes.reducing, n)) * kMostSums, on),
      arrivals_(1, on) {
    TILESPMV_CUDA(cudaMemsetAsync(arrivals_.data(), 0, arrivals_.bytes(), on.stream));
}

template <class T>
template <class Op>
void VectorLauncher<T>::launch(const Op& op) const {
    const LaunchShape& shape = shapes_.elementwise;
    const Elementwise<Op> p{op, static_cast<std::int64_t>(n_), shape.elements};
    cuda::launch_dependent(elementwise<kPackSize<T>, Op>, blocks_for(shape, n_), shape.threads, p, on_.stream);
}

template <class T>
template <class Op>
void VectorLauncher<T>::launch_reduce(const Op& op, const Finish& finish) const {
    const LaunchShape& shape = shapes_.reducing;
    const Reduce<Op> p{
        {op, static_cast<std::int64_t>(n_), shape.elements}, {partials_.data(), arrivals_.data()}, finish};
    cuda::launch_dependent(reduce<kPackSize<T>, Op>, blocks_for(shape, n_), shape.threads, p, on_.stream);
}

template <class T>
void VectorLauncher<T>::advance(const Iterates<T>& v, const Scalars* scalars) const {
    const Advance<T, NoDiagonal> op{{scalars}, v.x.data, v.r.data, v.w.data, v.p.data, v.q.data, v.s.data, {}};
    launch(op);
}

template <class T>
void VectorLauncher<T>::advance(const Iterates<T>& v, const Scalars* scalars, const DiagonalView<T>& diagonal) const {
    const Advance<T, Diagonal<T>> op{{scalars}, v.x.data, v.r.data, v.w.data, v.p.data, v.q.data, v.s.data, {diagonal}};
    launch(op);
}

template <class T>
void VectorLauncher<T>::inner_products(const Iterates<T>& v, const Finish& finish) const {
    const InnerProducts<T> op{{finish.scalars}, v.r.data, v.w.data, v.s.data};
    launch_reduce(op, finish);
}

template <class T>
void VectorLauncher<T>::direction(const Iterates<T>& v, const Scalars* scalars) const {
    const Direction<T> op{{scalars}, v.w.data, v.p.data};
    launch(op);
}

template <class T>
void VectorLauncher<T>::step_length(const Iterates<T>& v, const Finish& finish) const {
    const Dot<T, IterationScalars<T>> op{{finish.scalars}, v.p.data, v.q.data};
    launch_reduce(op, finish);
}

template <class T>
void VectorLauncher<T>::move(const Iterates<T>& v, const Scalars* scalars) const {
    const Move<T> op{{scalars}, v.x.data, v.r.data, v.p.data, v.q.data};
    launch(op);
}

template <class T>
void VectorLauncher<T>::move(const Iterates<T>& v, const DiagonalView<T>& diagonal, const Finish& finish) const {
    const MoveDiagonal<T> op{{{finish.scalars}, v.x.data, v.r.data, v.p.data, v.q.data}, v.w.data, {diagonal}};
    launch_reduce(op, finish);
}

template <class T>
void VectorLauncher<T>::ratio(const Iterates<T>& v, const Finish& finish) const {
    const Ratio<T> op{{finish.scalars}, v.r.data, v.w.data};
    launch_reduce(op, finish);
}

template <class T>
void VectorLauncher<T>::residual2(const T* r, const Finish& finish) const {
    launch_reduce(Dot<T, Always>{{}, r, r}, finish);
}

template <class T>
void VectorLauncher<T>::sum(const T* v, const Finish& finish) const {
    launch_reduce(Sum<T>{{}, v}, finish);
}

template <class T>
void VectorLauncher<T>::subtract_mean(T* v, const double* sum, double count) const {
    launch(SubtractMean<T>{{}, v, sum, count});
}

template <class T>
void VectorLauncher<T>::times_diagonal(const DiagonalView<T>& diagonal, const T* r, T* w) const {
    launch(TimesDiagonal<T>{{}, r, w, {diagonal}});
}

template class VectorLauncher<double>;
template class VectorLauncher<float>;

}  // namespace tilespmv::solver
