#pragma once

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/row_block_kernel.cuh"
#include "kernels/cuda/staged_rows.cuh"
#include "kernels/cuda/team_sum.cuh"
#include "kernels/operators/csr16/csr16.hpp"

namespace tilespmv::cuda {

/// A `Csr16` in device memory.
template <class V, class A>
struct DeviceCsr16 : DeviceSplits<A> {
    const Csr16Block* blocks = nullptr;
    std::int64_t block_count = 0;
    const std::uint16_t* ends = nullptr;
    const std::uint16_t* codes = nullptr;
    const V* values = nullptr;
};

/// Shared memory of a team.
template <class A, class Kernel>
struct Csr16Stage {
    A products[Kernel::kRoom];
    TeamSumStage<A, typename Kernel::Team> team;
};

/// The work of a team. Code: type of its codes.
template <class V, class A, class Code, class Kernel>
class Csr16Product {
public:
    __device__ Csr16Product(const DeviceCsr16<V, A>& b, const ProductTerms<V, A>& p, Csr16Stage<A, Kernel>& stage,
                            const Csr16Block& block)
        : b_(b),
          p_(p),
          stage_(stage),
          block_(block),
          values_(b.values + block.first_nonzero),
          codes_(reinterpret_cast<const Code*>(b.codes + block.first_code)),
          x_(p.x + block.base_column) {}

    __device__ void run() const {
        if (block_.is_piece) {
            add_piece();
        } else {
            add_rows();
        }
    }

private:
    using Team = typename Kernel::Team;
    static constexpr int kEach = Kernel::kEach;

    /// Products of the nonzeros from `first` on, kThreads apart. All are asked for before the first is waited for, and
    /// then x: no load depends on a condition, or the compiler would move it to where its value is needed. Behind the
    /// block's last nonzero this is repeated.
    template <int kLoads>
    __device__ void multiply(int first, A (&products)[kLoads]) const {
        V values[kLoads];
        Code codes[kLoads];
        V factors[kLoads];
#pragma unroll
        for (int i = 0; i < kLoads; ++i)
            codes[i] = load_once(codes_ + place(first + i * Csr16::kThreads), p_.cache_policy);
#pragma unroll
        for (int i = 0; i < kLoads; ++i)
            values[i] = load_once(values_ + place(first + i * Csr16::kThreads), p_.cache_policy);
        wait_for_stream();
#pragma unroll
        for (int i = 0; i < kLoads; ++i) factors[i] = load_x(x_ + codes[i]);
#pragma unroll
        for (int i = 0; i < kLoads; ++i) products[i] = static_cast<A>(values[i]) * static_cast<A>(factors[i]);
    }

    [[nodiscard]] __device__ int place(int i) const { return min(i, int{block_.nonzeros} - 1); }

    /// The part of the block's nonzeros that is in its row `r`; empty from the last row on.
    [[nodiscard]] __device__ RowSpan span_of(int r) const {
        if (r >= block_.rows) return {0, 0};
        const std::uint16_t* ends = b_.ends + block_.first_end + r;
        return {r > 0 ? int{load_often(ends - 1)} : 0, int{load_often(ends)}};
    }

    /// Products into shared memory, from where each row takes its own.
    __device__ void add_rows() const {
        const int log2 = block_.threads_log2;
        const RowSpan first = span_of(thread_ >> log2);
        if (block_.nonzeros > 0) {
            A products[kEach];
            multiply(thread_, products);
#pragma unroll
            for (int i = 0; i < kEach; ++i) stage_.products[thread_ + i * Csr16::kThreads] = products[i];
        } else {
            wait_for_stream();
        }
        Team::sync();
        sum_staged_rows<Team>(
            stage_.products, first, block_.rows, log2, [&](int r) { return span_of(r); },
            [&](int r, A sum) { p_.write(std::int64_t{block_.first_row} + r, sum); });
    }

    __device__ void add_piece() const {
        A sum = 0;
#pragma unroll 1
        for (int first = thread_; first - thread_ < block_.nonzeros; first += Kernel::kOfPiece * Csr16::kThreads) {
            A products[Kernel::kOfPiece];
            multiply(first, products);
#pragma unroll
            for (int i = 0; i < Kernel::kOfPiece; ++i) {
                sum += first + i * Csr16::kThreads < block_.nonzeros ? products[i] : A(0);
            }
        }
        sum = sum_of_team(sum, stage_.team);
        if (block_.partial >= 0 && !sum_of_pieces(b_, block_.split, block_.partial, sum, stage_.team)) return;
        if (thread_ == 0) p_.write(block_.first_row, sum);
    }

    const DeviceCsr16<V, A>& b_;
    const ProductTerms<V, A>& p_;
    Csr16Stage<A, Kernel>& stage_;
    const Csr16Block& block_;
    const V* values_;
    const Code* codes_;
    const V* x_;
    const int thread_ = Team::thread();
};

template <class V, class A, class Kernel>
__device__ void multiply_csr16(const DeviceCsr16<V, A>& b, const ProductTerms<V, A>& p, Csr16Stage<A, Kernel>& stage,
                               std::int64_t block_at) {
    const Csr16Block block = b.blocks[block_at];
    if (block.wide) {
        Csr16Product<V, A, std::uint32_t, Kernel>(b, p, stage, block).run();
    } else {
        Csr16Product<V, A, std::uint16_t, Kernel>(b, p, stage, block).run();
    }
}

/// Everything one product reads and writes, all of it in device memory.
template <class V, class A>
struct Csr16Spmv : ProductTerms<V, A> {
    DeviceCsr16<V, A> matrix;
};

/// y = alpha * A * x + beta * y, a row block for each team.
template <class V, class A, class Kernel>
__global__ void __launch_bounds__(Kernel::kBlockThreads, resident(Kernel::kBlocks, Kernel::kBlockThreads))
    csr16_spmv(const __grid_constant__ Csr16Spmv<V, A> p) {
    __shared__ Csr16Stage<A, Kernel> stages[Kernel::kTeams];
    const std::int64_t at = Kernel::row_block();
    if (at < p.matrix.block_count) multiply_csr16(p.matrix, p, stages[Kernel::Team::rank()], at);
}

/// Where blocks of threads have other work, too.
using SharedCsr16Kernel = RowBlockKernel<Csr16::kThreads, 1, kRowBlockNonzeros>;

}  // namespace tilespmv::cuda
