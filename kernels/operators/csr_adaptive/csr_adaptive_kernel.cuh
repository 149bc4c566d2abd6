#pragma once

#include "kernels/cuda/row_block_kernel.cuh"
#include "kernels/cuda/staged_rows.cuh"
#include "kernels/cuda/team_sum.cuh"
#include "kernels/operators/csr/csr_kernel.cuh"
#include "kernels/operators/csr_adaptive/csr_adaptive.hpp"

namespace tilespmv::cuda {

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A, class P>
struct AdaptiveSpmv : CsrSpmv<V, A, P>, DeviceSplits<A> {
    const AdaptiveBlock* blocks = nullptr;
    std::int64_t block_count = 0;
};

/// Shared memory of a team.
template <class A, class Kernel>
struct AdaptiveStage {
    A products[Kernel::kRoom];
    TeamSumStage<A, typename Kernel::Team> team;
};

/// The work of a team.
template <class V, class A, class P, class Kernel>
class AdaptiveProduct {
public:
    __device__ AdaptiveProduct(const AdaptiveSpmv<V, A, P>& p, AdaptiveStage<A, Kernel>& stage,
                               const AdaptiveBlock& block)
        : p_(p), stage_(stage), block_(block), first_(static_cast<P>(block.first_nonzero)) {}

    __device__ void run() const {
        if (block_.rows == 1 && block_.nonzeros > 0) {
            add_row();
        } else {
            add_rows();
        }
    }

private:
    using Team = typename Kernel::Team;
    static constexpr int kEach = Kernel::kEach;
    static constexpr int kThreads = Kernel::kThreads;

    /// Products of the block's nonzeros from the `at`-th on, kThreads apart; behind its last one this is repeated.
    template <int kLoads>
    __device__ void multiply(int at, A (&products)[kLoads]) const {
        Nonzeros<V, kLoads> nonzeros;
        nonzeros.load(p_.a, first_ + static_cast<P>(at), first_ + static_cast<P>(block_.nonzeros), P{kThreads},
                      p_.cache_policy);
        nonzeros.multiply(p_.x, products);
    }

    /// The part of the block's nonzeros that is in its row `r`; empty from the last row on.
    [[nodiscard]] __device__ RowSpan span_of(int r) const {
        const P* const ends = p_.a.row_ptrs + block_.first_row + min(r, int{block_.rows} - 1);
        const RowSpan row{static_cast<int>(load_often(ends) - first_), static_cast<int>(load_often(ends + 1) - first_)};
        return r < block_.rows ? row : RowSpan{};
    }

    /// CSR-stream: partial products into shared memory, from where each row takes its own.
    __device__ void add_rows() const {
        const RowSpan first = span_of(thread_ >> block_.threads_log2);
        if (block_.nonzeros > 0) {
            A products[kEach];
            multiply(thread_, products);
#pragma unroll
            for (int i = 0; i < kEach; ++i) stage_.products[thread_ + i * kThreads] = products[i];
        } else {
            wait_for_stream();
        }
        Team::sync();
        sum_staged_rows<Team>(
            stage_.products, first, block_.rows, block_.threads_log2, [&](int r) { return span_of(r); },
            [&](int r, A sum) { p_.write(std::int64_t{block_.first_row} + r, sum); });
    }

    /// CSR-vector, or CSR-vector-L if other blocks have pieces of the row, too.
    __device__ void add_row() const {
        A sum = 0;
#pragma unroll 1
        for (int at = thread_; at - thread_ < block_.nonzeros; at += Kernel::kOfPiece * kThreads) {
            A products[Kernel::kOfPiece];
            multiply(at, products);
#pragma unroll
            for (int i = 0; i < Kernel::kOfPiece; ++i) sum += at + i * kThreads < block_.nonzeros ? products[i] : A(0);
        }
        sum = sum_of_team(sum, stage_.team);
        if (block_.partial >= 0 && !sum_of_pieces(p_, block_.split, block_.partial, sum, stage_.team)) return;
        if (thread_ == 0) p_.write(block_.first_row, sum);
    }

    const AdaptiveSpmv<V, A, P>& p_;
    AdaptiveStage<A, Kernel>& stage_;
    const AdaptiveBlock& block_;
    const P first_;
    const int thread_ = Team::thread();
};

/// y = alpha * A * x + beta * y, a row block for each team.
template <class V, class A, class P, class Kernel>
__global__ void __launch_bounds__(Kernel::kBlockThreads, resident(Kernel::kBlocks, Kernel::kBlockThreads))
    csr_adaptive(const __grid_constant__ AdaptiveSpmv<V, A, P> p) {
    __shared__ AdaptiveStage<A, Kernel> stages[Kernel::kTeams];
    const std::int64_t at = Kernel::row_block();
    if (at >= p.block_count) return;
    const AdaptiveBlock block = load_wide(p.blocks + at);
    AdaptiveProduct<V, A, P, Kernel>(p, stages[Kernel::Team::rank()], block).run();
}

}  // namespace tilespmv::cuda
