#pragma once

#include <type_traits>

#include "kernels/solver/cuda/pack.cuh"
#include "kernels/solver/cuda/vector_launcher.hpp"
#include "kernels/solver/scalars.hpp"

/// What the kernels over vectors do with `kCount` consecutive values, in `at`. `start` asks for the scalars, which
/// arrive beside the first values: `at` loads everything before it uses them, and stores nothing where the iteration
/// has `ended`. Vectors are updated in their own type, sums are in double. An operation may find one vector under two
/// names (w and r where M = I): it loads everything before it stores.
namespace tilespmv::solver {

/// A diagonal M on the device.
template <class T>
struct Diagonal : DiagonalView<T> {
    template <int kCount>
    __device__ Pack<T, kCount> load(std::int64_t i) const {
        return this->values == nullptr ? Pack<T, kCount>{} : Pack<T, kCount>::load(this->values + i);
    }
    /// M r for what `load` gave.
    template <int kCount>
    __device__ Pack<T, kCount> times(const Pack<T, kCount>& d, const Pack<T, kCount>& r) const {
        if (this->values == nullptr) return r;
        Pack<T, kCount> w;
#pragma unroll
        for (int j = 0; j < kCount; ++j) w.of[j] = r.of[j] * d.of[j];
        return w;
    }
};

/// In place of a `Diagonal` where M is applied by other kernels.
struct NoDiagonal {
    template <int kCount>
    static __device__ NoDiagonal load(std::int64_t) {
        return {};
    }
};

/// For operations of an iteration: alpha and beta in the type of the vectors, while nothing has ended it.
template <class T>
struct IterationScalars {
    const Scalars* scalars = nullptr;
    double wide_alpha = 0;  // converted when they are used, as that waits for them
    double wide_beta = 0;
    End end = End::none;

    __device__ void start() {
        end = scalars->end;
        wide_alpha = scalars->alpha;
        wide_beta = scalars->beta;
    }
    [[nodiscard]] __device__ bool ended() const { return end != End::none; }
    [[nodiscard]] __device__ T alpha() const { return static_cast<T>(wide_alpha); }
    [[nodiscard]] __device__ T beta() const { return static_cast<T>(wide_beta); }
};

/// For operations that are always done.
struct Always {
    static __device__ void start() {}
    static constexpr __device__ bool ended() { return false; }
};

/// p = w + beta p; q = s + beta q; x += alpha p; r -= alpha q; with a diagonal w = M r.
template <class T, class M>
struct Advance : IterationScalars<T> {
    T *x, *r, *w, *p, *q;
    const T* s;
    M m;

    template <int kCount>
    __device__ void at(std::int64_t i) const {
        using Values = Pack<T, kCount>;
        const Values of_w = Values::load(w + i);
        const Values of_s = Values::load(s + i);
        Values of_p = Values::load(p + i);
        Values of_q = Values::load(q + i);
        Values of_x = Values::load(x + i);
        Values of_r = Values::load(r + i);
        const auto d = m.template load<kCount>(i);
        if (this->ended()) return;
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
            of_p.of[j] = of_w.of[j] + this->beta() * of_p.of[j];
            of_q.of[j] = of_s.of[j] + this->beta() * of_q.of[j];
            of_x.of[j] += this->alpha() * of_p.of[j];
            of_r.of[j] -= this->alpha() * of_q.of[j];
        }
        of_p.store(p + i);
        of_q.store(q + i);
        of_x.store(x + i);
        of_r.store(r + i);
        if constexpr (!std::is_same_v<M, NoDiagonal>) m.times(d, of_r).store(w + i);
    }
};

/// r'w, s'w, r'r
template <class T>
struct InnerProducts : IterationScalars<T> {
    static constexpr int kSums = 3;
    const T *r, *w, *s;

    template <int kCount>
    __device__ void at(std::int64_t i, double (&sums)[kSums]) const {
        using Values = Pack<T, kCount>;
        const Values of_r = Values::load(r + i);
        const Values of_w = Values::load(w + i);
        const Values of_s = Values::load(s + i);
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
            const double rj = of_r.of[j];
            const double wj = of_w.of[j];
            sums[0] += rj * wj;
            sums[1] += static_cast<double>(of_s.of[j]) * wj;
            sums[2] += rj * rj;
        }
    }
};

/// p = w + beta p
template <class T>
struct Direction : IterationScalars<T> {
    const T* w;
    T* p;

    template <int kCount>
    __device__ void at(std::int64_t i) const {
        using Values = Pack<T, kCount>;
        const Values of_w = Values::load(w + i);
        Values of_p = Values::load(p + i);
        if (this->ended()) return;
#pragma unroll
        for (int j = 0; j < kCount; ++j) of_p.of[j] = of_w.of[j] + this->beta() * of_p.of[j];
        of_p.store(p + i);
    }
};

/// a'b, in an iteration (`IterationScalars`) or anywhere (`Always`).
template <class T, class When>
struct Dot : When {
    static constexpr int kSums = 1;
    const T *a, *b;

    template <int kCount>
    __device__ void at(std::int64_t i, double (&sums)[kSums]) const {
        using Values = Pack<T, kCount>;
        const Values of_a = Values::load(a + i);
        const Values of_b = Values::load(b + i);
#pragma unroll
        for (int j = 0; j < kCount; ++j) sums[0] += static_cast<double>(of_a.of[j]) * static_cast<double>(of_b.of[j]);
    }
};

/// x += alpha p; r -= alpha q
template <class T>
struct Move : IterationScalars<T> {
    T *x, *r;
    const T *p, *q;

    /// The new r; nothing is stored where the iteration has ended.
    template <int kCount>
    __device__ Pack<T, kCount> new_residual(std::int64_t i) const {
        using Values = Pack<T, kCount>;
        const Values of_p = Values::load(p + i);
        const Values of_q = Values::load(q + i);
        Values of_x = Values::load(x + i);
        Values of_r = Values::load(r + i);
        if (this->ended()) return of_r;
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
            of_x.of[j] += this->alpha() * of_p.of[j];
            of_r.of[j] -= this->alpha() * of_q.of[j];
        }
        of_x.store(x + i);
        of_r.store(r + i);
        return of_r;
    }
    template <int kCount>
    __device__ void at(std::int64_t i) const {
        static_cast<void>(new_residual<kCount>(i));
    }
};

/// `Move`, w = M r, and r'w, r'r
template <class T>
struct MoveDiagonal : Move<T> {
    static constexpr int kSums = 2;
    T* w;
    Diagonal<T> m;

    template <int kCount>
    __device__ void at(std::int64_t i, double (&sums)[kSums]) const {
        const auto d = m.template load<kCount>(i);
        const Pack<T, kCount> of_r = this->template new_residual<kCount>(i);
        if (this->ended()) return;
        const Pack<T, kCount> of_w = m.times(d, of_r);
        of_w.store(w + i);
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
            const double rj = of_r.of[j];
            sums[0] += rj * static_cast<double>(of_w.of[j]);
            sums[1] += rj * rj;
        }
    }
};

/// r'w, r'r
template <class T>
struct Ratio : IterationScalars<T> {
    static constexpr int kSums = 2;
    const T *r, *w;

    template <int kCount>
    __device__ void at(std::int64_t i, double (&sums)[kSums]) const {
        using Values = Pack<T, kCount>;
        const Values of_r = Values::load(r + i);
        const Values of_w = Values::load(w + i);
#pragma unroll
        for (int j = 0; j < kCount; ++j) {
            const double rj = of_r.of[j];
            sums[0] += rj * static_cast<double>(of_w.of[j]);
            sums[1] += rj * rj;
        }
    }
};

template <class T>
struct Sum : Always {
    static constexpr int kSums = 1;
    const T* v;

    template <int kCount>
    __device__ void at(std::int64_t i, double (&sums)[kSums]) const {
        const auto values = Pack<T, kCount>::load(v + i);
#pragma unroll
        for (int j = 0; j < kCount; ++j) sums[0] += static_cast<double>(values.of[j]);
    }
};

/// v -= sum / count
template <class T>
struct SubtractMean : Always {
    T* v;
    const double* sum;
    double count;

    template <int kCount>
    __device__ void at(std::int64_t i) const {
        auto values = Pack<T, kCount>::load(v + i);
        const double mean = *sum / count;
#pragma unroll
        for (int j = 0; j < kCount; ++j) values.of[j] = static_cast<T>(static_cast<double>(values.of[j]) - mean);
        values.store(v + i);
    }
};

/// w = M r
template <class T>
struct TimesDiagonal : Always {
    const T* r;
    T* w;
    Diagonal<T> m;

    template <int kCount>
    __device__ void at(std::int64_t i) const {
        m.times(m.template load<kCount>(i), Pack<T, kCount>::load(r + i)).store(w + i);
    }
};

}  // namespace tilespmv::solver
