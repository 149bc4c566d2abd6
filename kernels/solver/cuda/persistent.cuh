#pragma once

#include "kernels/solver/cuda/finish.cuh"
#include "kernels/solver/cuda/team.cuh"
#include "kernels/solver/cuda/vector_ops.cuh"

namespace tilespmv::solver {

/// Everything that a persistent kernel reads and writes, in device memory.
template <class T>
struct Persistent {
    const std::uint32_t* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    const T* values = nullptr;
    const index_t* first_rows = nullptr;
    Diagonal<T> m;
    T *x, *r, *w, *s, *p, *q;
    Scalars* scalars = nullptr;
    Method method{};
    int count = 0;
    int row_threads = 1;
    index_t rows = 0;
    index_t most_rows = 0;
    offset_t most_nonzeros = 0;
    bool keeps_matrix = false;
    GridMeetings meetings;
};

/// Arrays one after the other in dynamic shared memory, each from a multiple of 16 bytes on.
class SharedArrays {
public:
    explicit __device__ SharedArrays(unsigned char* from) : next_(from) {}
    template <class E>
    __device__ E* take(std::int64_t count) {
        E* const array = reinterpret_cast<E*>(next_);
        next_ += (count * static_cast<std::int64_t>(sizeof(E)) + 15) / 16 * 16;
        return array;
    }

private:
    unsigned char* next_;
};

/// The rows of one thread block: vectors by local row in shared memory, s for q of the textbook unused.
template <class T>
class OwnRows {
public:
    __device__ OwnRows(const Persistent<T>& system, int rank, SharedArrays& shared)
        : system_(system),
          first_(system.first_rows[rank]),
          count_(system.first_rows[rank + 1] - first_),
          x_(shared.take<T>(system.most_rows)),
          r_(shared.take<T>(system.most_rows)),
          w_(shared.take<T>(system.most_rows)),
          s_(shared.take<T>(system.most_rows)),
          p_(shared.take<T>(system.most_rows)),
          q_(shared.take<T>(system.most_rows)),
          d_(shared.take<T>(system.most_rows)),
          ends_(shared.take<std::int32_t>(system.most_rows + 1)) {
        take_matrix(shared);
    }

    /// By all threads, which must meet before they use what others have loaded.
    __device__ void load(bool has_s) {
        for (int i = thread(); i < count_; i += threads()) {
            const index_t row = first_ + i;
            x_[i] = system_.x[row];
            r_[i] = system_.r[row];
            w_[i] = system_.w[row];
            if (has_s) s_[i] = system_.s[row];
            p_[i] = system_.p[row];
            q_[i] = system_.q[row];
        }
    }
    __device__ void store(bool has_s) const {
        for (int i = thread(); i < count_; i += threads()) {
            const index_t row = first_ + i;
            system_.x[row] = x_[i];
            system_.r[row] = r_[i];
            system_.w[row] = w_[i];
            if (has_s) system_.s[row] = s_[i];
            system_.p[row] = p_[i];
            system_.q[row] = q_[i];
        }
    }

    /// Calls f(i) for each own row.
    template <class F>
    __device__ void each(F&& f) const {
        for (int i = thread(); i < count_; i += threads()) f(i);
    }

    /// Calls f(i, y) with y = A v of each own row, in the first of its threads.
    template <class F>
    __device__ void multiply(const GridTeam<T>& team, F&& f) const {
        const int t = system_.row_threads;
        const int lane = thread() % t;
        const int turns = (count_ + threads() / t - 1) / (threads() / t);
        for (int turn = 0; turn < turns; ++turn) {  // the same for all threads, which add up together
            const int i = turn * (threads() / t) + thread() / t;
            double sum = i < count_ ? row_sum(team, i, lane, t) : 0;
            __syncwarp();  // see sum_of_lanes
            for (int step = t / 2; step > 0; step /= 2) sum += __shfl_xor_sync(cuda::kAllLanes, sum, step);
            if (lane == 0 && i < count_) f(i, static_cast<T>(sum));
        }
    }

    [[nodiscard]] __device__ index_t first() const { return first_; }
    [[nodiscard]] __device__ T& x(int i) const { return x_[i]; }
    [[nodiscard]] __device__ T& r(int i) const { return r_[i]; }
    [[nodiscard]] __device__ T& w(int i) const { return w_[i]; }
    [[nodiscard]] __device__ T& s(int i) const { return s_[i]; }
    [[nodiscard]] __device__ T& p(int i) const { return p_[i]; }
    [[nodiscard]] __device__ T& q(int i) const { return q_[i]; }
    /// M r of a row
    [[nodiscard]] __device__ T preconditioned(int i) const {
        if (system_.m.values == nullptr) return r_[i];
        return r_[i] * d_[i];
    }

private:
    static __device__ int thread() { return static_cast<int>(threadIdx.x); }
    static __device__ int threads() { return static_cast<int>(blockDim.x); }

    /// What does not change: the diagonal of M, row pointers from the first own nonzero on, A where it fits.
    __device__ void take_matrix(SharedArrays& shared) {
        const std::uint32_t begin = system_.row_ptrs[first_];
        for (int i = thread(); i <= count_; i += threads())
            ends_[i] = static_cast<std::int32_t>(system_.row_ptrs[first_ + i] - begin);
        if (system_.m.values != nullptr) {
            for (int i = thread(); i < count_; i += threads()) d_[i] = system_.m.values[first_ + i];
        }
        values_ = system_.values + begin;
        col_idxs_ = system_.col_idxs + begin;
        if (!system_.keeps_matrix) return;
        kept_values_ = shared.take<T>(system_.most_nonzeros);
        kept_col_idxs_ = shared.take<index_t>(system_.most_nonzeros);
        const int nonzeros = static_cast<int>(system_.row_ptrs[first_ + count_] - begin);
        for (int k = thread(); k < nonzeros; k += threads()) {
            kept_values_[k] = values_[k];
            kept_col_idxs_[k] = col_idxs_[k];
        }
    }

    /// Two loops, so that the compiler knows which memory each of them reads.
    __device__ double row_sum(const GridTeam<T>& team, int i, int lane, int t) const {
        return system_.keeps_matrix ? sum_of(kept_values_, kept_col_idxs_, team, i, lane, t)
                                    : sum_of(values_, col_idxs_, team, i, lane, t);
    }
    /// Of nonzeros lane, lane + t, ...
    __device__ double sum_of(const T* values, const index_t* col_idxs, const GridTeam<T>& team, int i, int lane,
                             int t) const {
        const std::int32_t end = ends_[i + 1];
        double sum = 0;
#pragma unroll 4
        for (std::int32_t k = ends_[i] + lane; k < end; k += t) {
            sum += static_cast<double>(values[k]) * static_cast<double>(team.get(col_idxs[k]));
        }
        return sum;
    }

    const Persistent<T>& system_;
    index_t first_;
    int count_;
    T *x_, *r_, *w_, *s_, *p_, *q_, *d_;
    std::int32_t* ends_;
    const T* values_ = nullptr;
    const index_t* col_idxs_ = nullptr;
    T* kept_values_ = nullptr;
    index_t* kept_col_idxs_ = nullptr;
};

/// In shared memory.
struct PersistentStage {
    BlockSums<3> sums;
    GatheredSums gathered;
    Scalars scalars;
};

/// Iterations over the rows of this thread block, with a team of thread blocks.
template <class T>
class PersistentBlock {
public:
    __device__ PersistentBlock(OwnRows<T>& rows, GridTeam<T>& team, PersistentStage& stage)
        : rows_(rows), team_(team), stage_(stage) {}

    /// See `chronopoulos_gear::iterate`.
    __device__ void chronopoulos_gear() {
        const auto alpha = static_cast<T>(scalars().alpha);
        const auto beta = static_cast<T>(scalars().beta);
        rows_.each([&](int i) {
            rows_.p(i) = rows_.w(i) + beta * rows_.p(i);
            rows_.q(i) = rows_.s(i) + beta * rows_.q(i);
            rows_.x(i) += alpha * rows_.p(i);
            rows_.r(i) -= alpha * rows_.q(i);
            rows_.w(i) = rows_.preconditioned(i);
            team_.put(rows_.first() + i, rows_.w(i));
        });
        team_.meet();
        double sums[3] = {};
        rows_.multiply(team_, [&](int i, T s) {
            rows_.s(i) = s;
            const double r = rows_.r(i);
            const double w = rows_.w(i);
            sums[0] += r * w;
            sums[1] += static_cast<double>(s) * w;
            sums[2] += r * r;
        });
        add_up(Recurrence::inner_products, sums);
    }

    /// See `textbook::iterate`.
    __device__ void textbook() {
        const auto beta = static_cast<T>(scalars().beta);
        rows_.each([&](int i) {
            rows_.p(i) = rows_.w(i) + beta * rows_.p(i);
            team_.put(rows_.first() + i, rows_.p(i));
        });
        team_.meet();
        double curvature[1] = {};
        rows_.multiply(team_, [&](int i, T q) {
            rows_.q(i) = q;
            curvature[0] += static_cast<double>(rows_.p(i)) * static_cast<double>(q);
        });
        add_up(Recurrence::step_length, curvature);
        if (scalars().end != End::none) return;
        const auto alpha = static_cast<T>(scalars().alpha);
        double sums[2] = {};
        rows_.each([&](int i) {
            rows_.x(i) += alpha * rows_.p(i);
            rows_.r(i) -= alpha * rows_.q(i);
            rows_.w(i) = rows_.preconditioned(i);
            const double r = rows_.r(i);
            sums[0] += r * static_cast<double>(rows_.w(i));
            sums[1] += r * r;
        });
        add_up(Recurrence::ratio, sums);
    }

    [[nodiscard]] __device__ const Scalars& scalars() const { return stage_.scalars; }

private:
    /// The sums over all blocks, in the order of these, the same bits in each; the recurrence takes them.
    template <int kSums>
    __device__ void add_up(Recurrence recurrence, double (&sums)[kSums]) {
        sum_over_block(sums, stage_.sums);
        const double* const gathered = team_.exchange(sums);
        if (threadIdx.x < cuda::kWarpSize) {
            double totals[kSums];
#pragma unroll
            for (int k = 0; k < kSums; ++k) {
                totals[k] = 0;
                for (int first = 0; first < team_.size(); first += cuda::kWarpSize) {  // as often for all lanes
                    const int b = first + static_cast<int>(threadIdx.x);
                    totals[k] += b < team_.size() ? gathered[k * team_.size() + b] : 0;
                }
                totals[k] = cuda::sum_of_warp(totals[k]);
            }
            if (threadIdx.x == 0) {
                // Else the compiler has all lanes read the scalars, which racecheck reports.
                asm volatile("" ::: "memory");
                take(recurrence, totals, stage_.scalars);
            }
        }
        __syncthreads();
    }

    OwnRows<T>& rows_;
    GridTeam<T>& team_;
    PersistentStage& stage_;
};

/// `system.count` iterations; by all threads of all blocks of the team.
template <class T>
__device__ void iterate(const Persistent<T>& system, OwnRows<T>& rows, GridTeam<T>& team, PersistentStage& stage) {
    const bool has_s = system.method == Method::chronopoulos_gear;
    if (threadIdx.x == 0) stage.scalars = *system.scalars;
    rows.load(has_s);
    __syncthreads();
    PersistentBlock<T> block(rows, team, stage);
    for (int i = 0; i < system.count && block.scalars().end == End::none; ++i) {
        if (has_s) {
            block.chronopoulos_gear();
        } else {
            block.textbook();
        }
    }
    rows.store(has_s);
    if (team.rank() == 0 && threadIdx.x == 0) *system.scalars = stage.scalars;
}

}  // namespace tilespmv::solver
