#include "kernels/solver/cpu_space.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "kernels/registry.hpp"
#include "kernels/solver/recurrence.hpp"
#include "tile/product_loop.hpp"

namespace tilespmv::solver {
namespace {

/// Values of a piece, which one thread computes: small enough for the first-level cache to hold six vectors' worth next
/// to each other, large enough for a loop over it to pay for its start. Not swept.
constexpr std::int64_t kPiece = 4096;
constexpr std::int64_t kLanes = 8;

/// The sum of f(i) over [first, last) in a fixed order that vector instructions can follow.
template <class F>
double lane_sum(std::int64_t first, std::int64_t last, F&& f) {
    double lanes[kLanes] = {};
    std::int64_t i = first;
    for (; i + kLanes <= last; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += f(i + lane);
    }
    for (; i < last; ++i) lanes[i % kLanes] += f(i);
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    return sum;
}

template <class T>
double dot(const T* a, const T* b, std::int64_t first, std::int64_t last) {
    return lane_sum(first, last, [=](std::int64_t i) { return double{a[i]} * double{b[i]}; });
}

}  // namespace

template <class T>
CpuSpace<T>::CpuSpace(SystemOperator<T> a, SystemPreconditioner<T> m)
    : SystemSpace<T>(std::move(a), std::move(m), Memory::host, nullptr),
      sums_(static_cast<std::size_t>(div_up(static_cast<std::int64_t>(this->size()), kPiece))) {
    this->make_vectors_between();
}

template <class T>
std::unique_ptr<Operator<T>> CpuSpace<T>::make(const std::string& specification, const Source<T>& a) {
    return make_operator<T>(specification, a);
}

/// Calls f(first, last) for every piece.
template <class T>
template <class F>
void CpuSpace<T>::for_pieces(F&& f) {
    product_loop(static_cast<std::int64_t>(this->size()), kPiece, f);
}

/// f(first, last) leaves the sums of a piece.
template <class T>
template <class F>
typename CpuSpace<T>::Sums CpuSpace<T>::sum_pieces(F&& f) {
    for_pieces([&](std::int64_t first, std::int64_t last) {
        sums_[static_cast<std::size_t>(first / kPiece)] = f(first, last);
    });
    Sums all;
    for (const Sums& piece : sums_) {
        all.first += piece.first;
        all.second += piece.second;
        all.third += piece.third;
    }
    if (!add_over_ranks_) return all;
    std::array<double, 3> over_ranks{all.first, all.second, all.third};
    add_over_ranks_(over_ranks);
    return {over_ranks[0], over_ranks[1], over_ranks[2]};
}

template <class T>
std::string CpuSpace<T>::how() const {
    const int threads = omp_get_max_threads();
    return fmt::format("CPU, {} thread{}", threads, threads == 1 ? "" : "s");
}

template <class T>
Vector<T> CpuSpace<T>::make_vector() {
    Buffer<T>& made = vectors_.emplace_back(this->size());
    for_pieces(
        [&](std::int64_t first, std::int64_t last) { std::fill(made.data() + first, made.data() + last, T{0}); });
    return {made.data(), made.size()};
}

template <class T>
void CpuSpace<T>::upload(std::span<const T> from, Vector<T> to) {
    copy({from.data(), from.size()}, to);
}

template <class T>
void CpuSpace<T>::download(Vector<const T> from, std::span<T> to) {
    copy(from, {to.data(), to.size()});
}

template <class T>
void CpuSpace<T>::copy(Vector<const T> from, Vector<T> to) {
    for_pieces([&](std::int64_t first, std::int64_t last) {
        std::copy(from.data + first, from.data + last, to.data + first);
    });
}

template <class T>
void CpuSpace<T>::clear(Vector<T> v) {
    std::fill_n(v.data, v.size, T{0});
}

template <class T>
void CpuSpace<T>::scale_piece(const T* r, T* w, std::int64_t first, std::int64_t last) const {
    if (this->inverse_diagonal() == nullptr) {
        std::copy(r + first, r + last, w + first);
        return;
    }
    const T* const diagonal = this->inverse_diagonal()->data();
    for (std::int64_t i = first; i < last; ++i) w[i] = diagonal[i] * r[i];
}

template <class T>
void CpuSpace<T>::times_diagonal(Vector<const T> r, Vector<T> w) {
    for_pieces([&](std::int64_t first, std::int64_t last) { scale_piece(r.data, w.data, first, last); });
}

template <class T>
void CpuSpace<T>::remove_mean(Vector<T> v) {
    const auto sum = sum_pieces([&](std::int64_t first, std::int64_t last) {
        return Sums{lane_sum(first, last, [&](std::int64_t i) { return double{v.data[i]}; })};
    });
    const double mean = total_size() == 0 ? 0 : sum.first / static_cast<double>(total_size());
    for_pieces([&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) v.data[i] = static_cast<T>(double{v.data[i]} - mean);
    });
}

template <class T>
double CpuSpace<T>::norm2(Vector<const T> r) {
    return sum_pieces([&](std::int64_t first, std::int64_t last) { return Sums{dot(r.data, r.data, first, last)}; })
        .first;
}

namespace {

/// p = w + beta p; q = s + beta q; x += alpha p; r -= alpha q
template <class T>
void advance_piece(const Iterates<T>& v, const Scalars& s, std::int64_t first, std::int64_t last) {
    const auto alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta);
    for (std::int64_t i = first; i < last; ++i) {
        const T p = v.w.data[i] + beta * v.p.data[i];
        const T q = v.s.data[i] + beta * v.q.data[i];
        v.p.data[i] = p;
        v.q.data[i] = q;
        v.x.data[i] += alpha * p;
        v.r.data[i] -= alpha * q;
    }
}

/// x += alpha p; r -= alpha q
template <class T>
void move_piece(const Iterates<T>& v, const Scalars& s, std::int64_t first, std::int64_t last) {
    const auto alpha = static_cast<T>(s.alpha);
    for (std::int64_t i = first; i < last; ++i) {
        v.x.data[i] += alpha * v.p.data[i];
        v.r.data[i] -= alpha * v.q.data[i];
    }
}

}  // namespace

template <class T>
void CpuSpace<T>::advance(const Iterates<T>& v) {
    if (scalars_.end != End::none) return;
    for_pieces([&](std::int64_t first, std::int64_t last) { advance_piece(v, scalars_, first, last); });
}

template <class T>
void CpuSpace<T>::advance_and_precondition(const Iterates<T>& v) {
    if (!this->is_diagonal()) return Space<T>::advance_and_precondition(v);
    if (scalars_.end != End::none) return;
    for_pieces([&](std::int64_t first, std::int64_t last) {
        advance_piece(v, scalars_, first, last);
        scale_piece(v.r.data, v.w.data, first, last);
    });
}

template <class T>
void CpuSpace<T>::inner_products(const Iterates<T>& v) {
    if (scalars_.end != End::none) return;
    const Sums sums = sum_pieces([&](std::int64_t first, std::int64_t last) {
        return Sums{dot(v.r.data, v.w.data, first, last), dot(v.s.data, v.w.data, first, last),
                    dot(v.r.data, v.r.data, first, last)};
    });
    take_inner_products(scalars_, sums.first, sums.second, sums.third);
}

template <class T>
void CpuSpace<T>::direction(const Iterates<T>& v) {
    if (scalars_.end != End::none) return;
    const auto beta = static_cast<T>(scalars_.beta);
    for_pieces([&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) v.p.data[i] = v.w.data[i] + beta * v.p.data[i];
    });
}

template <class T>
void CpuSpace<T>::step_length(const Iterates<T>& v) {
    if (scalars_.end != End::none) return;
    const Sums sums =
        sum_pieces([&](std::int64_t first, std::int64_t last) { return Sums{dot(v.p.data, v.q.data, first, last)}; });
    take_step_length(scalars_, sums.first);
}

template <class T>
void CpuSpace<T>::move(const Iterates<T>& v) {
    if (scalars_.end != End::none) return;
    for_pieces([&](std::int64_t first, std::int64_t last) { move_piece(v, scalars_, first, last); });
}

template <class T>
void CpuSpace<T>::ratio(const Iterates<T>& v) {
    if (scalars_.end != End::none) return;
    const Sums sums = sum_pieces([&](std::int64_t first, std::int64_t last) {
        return Sums{dot(v.r.data, v.w.data, first, last), dot(v.r.data, v.r.data, first, last)};
    });
    take_ratio(scalars_, sums.first, sums.second);
}

template <class T>
void CpuSpace<T>::move_and_precondition(const Iterates<T>& v) {
    if (!this->is_diagonal()) return Space<T>::move_and_precondition(v);
    if (scalars_.end != End::none) return;
    const Sums sums = sum_pieces([&](std::int64_t first, std::int64_t last) {
        move_piece(v, scalars_, first, last);
        scale_piece(v.r.data, v.w.data, first, last);
        return Sums{dot(v.r.data, v.w.data, first, last), dot(v.r.data, v.r.data, first, last)};
    });
    take_ratio(scalars_, sums.first, sums.second);
}

template <class T>
void CpuSpace<T>::repeat(int count, Method, const Iterates<T>&, const std::function<void()>& iteration) {
    for (int i = 0; i < count && scalars_.end == End::none; ++i) iteration();
}

template class CpuSpace<double>;
template class CpuSpace<float>;

}  // namespace tilespmv::solver
