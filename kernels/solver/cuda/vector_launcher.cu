#include "kernels/solver/cuda/vector_launcher.hpp"

#include "kernels/solver/cuda/vector_launch.cuh"
#include "kernels/solver/cuda/vector_ops.cuh"
#include "kernels/solver/tail_block.hpp"

namespace tilespmv::solver {
namespace {

/// Calls f(M) for the type of M's values.
template <class T, class F>
void with_diagonal(const DiagonalView<T>& m, F&& f) {
    std::visit([&]<class D>(const D* values) { f(Diagonal<T, D>{values}); }, m);
}

}  // namespace

template <class T>
VectorLauncher<T>::VectorLauncher(std::size_t n, const VectorShapes& shapes, const cuda::DeviceContext& on)
    : n_(n), on_(on), shapes_(shapes), arrivals_(1, on) {
    TILESPMV_CUDA(cudaMemsetAsync(arrivals_.data(), 0, arrivals_.bytes(), on.stream));
    set_shapes(shapes);
}

template <class T>
void VectorLauncher<T>::set_shapes(const VectorShapes& shapes) {
    const auto needed = static_cast<std::size_t>(shapes.most_reducing_blocks(n_)) * kMostSums;
    if (needed > partials_.size()) partials_ = cuda::DeviceBuffer<double>(needed, on_);
    shapes_ = shapes;
}

template <class T>
template <class Op>
void VectorLauncher<T>::launch(VectorKernelId kernel, const Op& op, bool aligned) const {
    const LaunchShape& shape = shapes_.of(kernel);
    const Elementwise<Op> p{op, static_cast<std::int64_t>(n_), shape.elements};
    launch_shaped<kPackSize<T>>(elementwise<kPackSize<T>, Op>, elementwise<1, Op>, p, shape, aligned, on_.stream,
                                tail_blocks(shape, n_, kPackSize<T>));
}

template <class T>
template <class Op>
void VectorLauncher<T>::launch_reduce(VectorKernelId kernel, const Op& op, bool aligned, const Finish& finish) const {
    const LaunchShape& shape = shapes_.of(kernel);
    const Reduce<Op> p{
        {op, static_cast<std::int64_t>(n_), shape.elements}, {partials_.data(), arrivals_.data()}, finish};
    launch_shaped<kPackSize<T>>(reduce<kPackSize<T>, Op>, reduce<1, Op>, p, shape, aligned, on_.stream);
}

template <class T>
void VectorLauncher<T>::advance(const Iterates<T>& v, const Scalars* scalars) const {
    const Advance<T, NoDiagonal> op{{scalars}, v.x.data, v.r.data, v.w.data, v.p.data, v.q.data, v.s.data, {}};
    launch(VectorKernelId::advance, op, are_aligned({v.x.data, v.r.data, v.w.data, v.p.data, v.q.data, v.s.data}));
}

template <class T>
void VectorLauncher<T>::advance(const Iterates<T>& v, const Scalars* scalars, const DiagonalView<T>& diagonal) const {
    with_diagonal<T>(diagonal, [&]<class M>(const M& m) {
        const Advance<T, M> op{{scalars}, v.x.data, v.r.data, v.w.data, v.p.data, v.q.data, v.s.data, m};
        launch(VectorKernelId::advance_diagonal, op,
               are_aligned({v.x.data, v.r.data, v.w.data, v.p.data, v.q.data, v.s.data, m.values}));
    });
}

template <class T>
void VectorLauncher<T>::inner_products(const Iterates<T>& v, const Finish& finish) const {
    const InnerProducts<T> op{{finish.scalars}, v.r.data, v.w.data, v.s.data};
    launch_reduce(VectorKernelId::inner_products, op, are_aligned({v.r.data, v.w.data, v.s.data}), finish);
}

template <class T>
void VectorLauncher<T>::direction(const Iterates<T>& v, const Scalars* scalars) const {
    const Direction<T> op{{scalars}, v.w.data, v.p.data};
    launch(VectorKernelId::direction, op, are_aligned({v.w.data, v.p.data}));
}

template <class T>
void VectorLauncher<T>::step_length(const Iterates<T>& v, const Finish& finish) const {
    const Dot<T, IterationScalars<T>> op{{finish.scalars}, v.p.data, v.q.data};
    launch_reduce(VectorKernelId::step_length, op, are_aligned({v.p.data, v.q.data}), finish);
}

template <class T>
void VectorLauncher<T>::move(const Iterates<T>& v, const Scalars* scalars) const {
    const Move<T> op{{scalars}, v.x.data, v.r.data, v.p.data, v.q.data};
    launch(VectorKernelId::move, op, are_aligned({v.x.data, v.r.data, v.p.data, v.q.data}));
}

template <class T>
void VectorLauncher<T>::move(const Iterates<T>& v, const DiagonalView<T>& diagonal, const Finish& finish) const {
    with_diagonal<T>(diagonal, [&]<class M>(const M& m) {
        const MoveDiagonal<T, M> op{{{finish.scalars}, v.x.data, v.r.data, v.p.data, v.q.data}, v.w.data, m};
        launch_reduce(VectorKernelId::move_diagonal, op,
                      are_aligned({v.x.data, v.r.data, v.w.data, v.p.data, v.q.data, m.values}), finish);
    });
}

template <class T>
void VectorLauncher<T>::ratio(const Iterates<T>& v, const Finish& finish) const {
    const Ratio<T> op{{finish.scalars}, v.r.data, v.w.data};
    launch_reduce(VectorKernelId::ratio, op, are_aligned({v.r.data, v.w.data}), finish);
}

template <class T>
void VectorLauncher<T>::residual2(const T* r, const Finish& finish) const {
    launch_reduce(VectorKernelId::residual2, Dot<T, Always>{{}, r, r}, are_aligned({r}), finish);
}

template <class T>
void VectorLauncher<T>::sum(const T* v, const Finish& finish) const {
    launch_reduce(VectorKernelId::sum, Sum<T>{{}, v}, are_aligned({v}), finish);
}

template <class T>
void VectorLauncher<T>::subtract_mean(T* v, const double* sum, double count) const {
    launch(VectorKernelId::subtract_mean, SubtractMean<T>{{}, v, sum, count}, are_aligned({v}));
}

template <class T>
void VectorLauncher<T>::times_diagonal(const DiagonalView<T>& diagonal, const T* r, T* w) const {
    with_diagonal<T>(diagonal, [&]<class M>(const M& m) {
        launch(VectorKernelId::times_diagonal, TimesDiagonal<T, M>{{}, r, w, m}, are_aligned({r, w, m.values}));
    });
}

template <class T>
void VectorLauncher<T>::add_times_diagonal(const T* d, const T* x, T* y) const {
    launch(VectorKernelId::axpy, AddTimesDiagonal<T>{{}, d, x, y}, are_aligned({d, x, y}));
}

template <class T>
void VectorLauncher<T>::axpy(T a, const T* x, T* y) const {
    launch(VectorKernelId::axpy, Axpy<T>{{}, a, x, y}, are_aligned({x, y}));
}

template <class T>
void VectorLauncher<T>::copy(const T* from, T* to) const {
    launch(VectorKernelId::copy, Copy<T>{{}, from, to}, are_aligned({from, to}));
}

template <class T>
void VectorLauncher<T>::to_float(const T* from, float* to) const {
    launch(VectorKernelId::copy, Convert<T, float>{{}, from, to}, true);
}

template <class T>
void VectorLauncher<T>::from_float(const float* from, T* to) const {
    launch(VectorKernelId::copy, Convert<float, T>{{}, from, to}, true);
}

namespace {

/// By the kernel that `launch_shaped` would take for vectors that are aligned.
template <class T, class Op>
int resident_blocks_of(const LaunchShape& shape) {
    const bool takes_packs = shape.elements % kPackSize<T> == 0;
    if constexpr (requires { Op::kSums; })
        return resident_blocks_of(takes_packs ? reduce<kPackSize<T>, Op> : reduce<1, Op>, shape.threads);
    else
        return resident_blocks_of(takes_packs ? elementwise<kPackSize<T>, Op> : elementwise<1, Op>, shape.threads);
}

}  // namespace

template <class T>
int resident_blocks(std::string_view kernel, const LaunchShape& shape) {
    using M = Diagonal<T, T>;
    switch (vector_kernel_id(kernel)) {
        case VectorKernelId::advance:
            return resident_blocks_of<T, Advance<T, NoDiagonal>>(shape);
        case VectorKernelId::advance_diagonal:
            return resident_blocks_of<T, Advance<T, M>>(shape);
        case VectorKernelId::inner_products:
            return resident_blocks_of<T, InnerProducts<T>>(shape);
        case VectorKernelId::direction:
            return resident_blocks_of<T, Direction<T>>(shape);
        case VectorKernelId::step_length:
            return resident_blocks_of<T, Dot<T, IterationScalars<T>>>(shape);
        case VectorKernelId::move:
            return resident_blocks_of<T, Move<T>>(shape);
        case VectorKernelId::move_diagonal:
            return resident_blocks_of<T, MoveDiagonal<T, M>>(shape);
        case VectorKernelId::ratio:
            return resident_blocks_of<T, Ratio<T>>(shape);
        case VectorKernelId::residual2:
            return resident_blocks_of<T, Dot<T, Always>>(shape);
        case VectorKernelId::sum:
            return resident_blocks_of<T, Sum<T>>(shape);
        case VectorKernelId::subtract_mean:
            return resident_blocks_of<T, SubtractMean<T>>(shape);
        case VectorKernelId::times_diagonal:
            return resident_blocks_of<T, TimesDiagonal<T, M>>(shape);
        case VectorKernelId::axpy:
            return resident_blocks_of<T, Axpy<T>>(shape);
        case VectorKernelId::copy:
            return resident_blocks_of<T, Copy<T>>(shape);
    }
    return 0;
}

template int resident_blocks<double>(std::string_view, const LaunchShape&);
template int resident_blocks<float>(std::string_view, const LaunchShape&);

template class VectorLauncher<double>;
template class VectorLauncher<float>;

}  // namespace tilespmv::solver
