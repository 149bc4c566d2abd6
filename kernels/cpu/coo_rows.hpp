#pragma once

#include <algorithm>
#include <array>

#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/tuning.hpp"
#include "kernels/operators/coo/coo.hpp"

namespace tilespmv::cpu {

/// The products of a matrix in COO, by pieces of equally many nonzeros, whatever their rows. One product at a time.
template <CpuValue V>
class CooRows {
public:
    /// `a` must outlive it.
    explicit CooRows(const Coo<V>& a)
        : a_(a), open_sums_(static_cast<std::size_t>(div_up(a.nnz(), offset_t{kCooPiece}))) {}

    /// Calls write(row, sum) once for each row with nonzeros. All threads of a parallel region call; they leave
    /// together.
    template <class Write>
    void multiply(const V* x, Write&& write) const {
#pragma omp for schedule(dynamic, 1)
        for (std::size_t i = 0; i < open_sums_.size(); ++i) add_piece(i, x, write);
#pragma omp single
        join_pieces(write);
    }

private:
    /// What a piece has of a row that began before it, and of one that goes on behind it.
    struct OpenSums {
        double first = 0;
        double last = 0;
    };

    [[nodiscard]] offset_t begin(std::size_t piece) const {
        return std::min(static_cast<offset_t>(piece) * kCooPiece, a_.nnz());
    }
    /// Whether nonzero `k` is of the same row as the one before it.
    [[nodiscard]] bool goes_on(offset_t k) const {
        return k > 0 && k < a_.nnz() && a_.row_idxs[k - 1] == a_.row_idxs[k];
    }

    template <class Write>
    void add_piece(std::size_t i, const V* x, Write& write) const {
        const offset_t first = begin(i);
        const offset_t end = begin(i + 1);
        std::array<CooSum, kCooPiece> sums;
        auto* next = sums.data();
        auto* last = next + simd_.sum_coo(a_, {first, end}, x, next);
        OpenSums& open = open_sums_[i];
        if (goes_on(end)) open.last = (--last)->sum;
        if (goes_on(first) && next < last) open.first = (next++)->sum;
        for (; next < last; ++next) write(next->row, next->sum);
    }

    /// Adds up the rows that are in several pieces, in the order of these.
    template <class Write>
    void join_pieces(Write& write) const {
        double sum = 0;
        for (std::size_t i = 0; i < open_sums_.size(); ++i) {
            const offset_t first = begin(i);
            const offset_t end = begin(i + 1);
            const bool is_one_row = a_.row_idxs[first] == a_.row_idxs[end - 1];
            if (goes_on(first) && goes_on(end) && is_one_row) {
                sum += open_sums_[i].last;
                continue;
            }
            if (goes_on(first)) write(a_.row_idxs[first], sum + open_sums_[i].first);
            sum = open_sums_[i].last;
        }
    }

    const Coo<V>& a_;
    const SimdKernels<V>& simd_ = simd_kernels<V>();
    mutable Buffer<OpenSums> open_sums_;  // of the pieces
};

}  // namespace tilespmv::cpu
