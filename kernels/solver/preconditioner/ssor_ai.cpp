#include "kernels/solver/preconditioner/ssor_ai.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "kernels/solver/preconditioner/triangle.hpp"
#include "tile/parallel.hpp"
#include "tile/transpose.hpp"

namespace tilespmv::solver {
namespace {

constexpr std::int64_t kFactorRows = 512;  ///< that a thread does at a time

/// The pattern of L + I of A, with `positions` of its diagonal; values not set.
template <class T>
CsrMatrix<T> lower_pattern(const CsrMatrix<T>& a, const Buffer<offset_t>& positions) {
    const auto rows = static_cast<std::size_t>(a.rows);
    CsrMatrix<T> lower;
    lower.rows = lower.cols = a.rows;
    lower.row_ptrs = Buffer<offset_t>(rows + 1, 0);
    for (std::size_t row = 0; row < rows; ++row)
        lower.row_ptrs[row + 1] = lower.row_ptrs[row] + positions[row] - a.row_ptrs[row] + 1;
    const auto nnz = static_cast<std::size_t>(lower.row_ptrs[rows]);
    lower.col_idxs = Buffer<index_t>(nnz);
    lower.values = Buffer<T>(nnz);
    parallel_for(0, a.rows, kFactorRows, [&](std::int64_t i) {
        const auto row = static_cast<std::size_t>(i);
        std::copy(a.col_idxs.data() + a.row_ptrs[row], a.col_idxs.data() + positions[row] + 1,
                  lower.col_idxs.data() + lower.row_ptrs[row]);
    });
    return lower;
}

/// Of a row before the diagonal.
void require_length(std::size_t row, offset_t of_before, offset_t of_new) {
    if (of_before == of_new) return;
    throw Error(
        fmt::format("a ssor-ai preconditioner takes new values of the same pattern: row {} has {} nonzeros before "
                    "the diagonal, found {}; make it again",
                    row + 1, of_before, of_new));
}

template <class T>
class SsorApproximateInverse final : public Preconditioner<T> {
public:
    SsorApproximateInverse(const CsrMatrix<T>& a, const SsorChoice& choice)
        : w_(choice.w),
          diagonal_(static_cast<std::size_t>(a.rows)),
          inverse_dw_(diagonal_.size()),
          scale_(diagonal_.size()) {
        find_diagonal(a, "ssor-ai", diagonal_);
        auto& parts = this->parts_;
        parts.size = a.rows;
        parts.operators = choice.operators;
        CsrMatrix<T> k = lower_pattern(a, diagonal_);
        Transpose<T> transposed = transpose_pattern(k);
        parts.stages.push_back(std::move(k));
        parts.stages.push_back(std::move(transposed.matrix));
        transposed_positions_ = std::move(transposed.positions);
        SsorApproximateInverse::update_values(a);
    }

    void update_values(const CsrMatrix<T>& a) override {
        find_diagonal(a, "ssor-ai", diagonal_);
        parallel_for(0, a.rows, kFactorRows, [&](std::int64_t i) {
            const auto row = static_cast<std::size_t>(i);
            inverse_dw_[row] = w_ / double{a.values[static_cast<std::size_t>(diagonal_[row])]};
            scale_[row] = std::sqrt((2 - w_) * inverse_dw_[row]);
            in_range<T>(scale_[row], "ssor-ai", i);
        });
        auto& stages = this->parts_.stages;
        compute_k(a, stages[0]);
        const Buffer<T>& k = stages[0].values;
        gather_values<T>({k.data(), k.size()}, transposed_positions_, stages[1].values);
    }

private:
    /// K = S (I - G), G = L Dw^-1 and S the diagonal of factors before the brackets.
    void compute_k(const CsrMatrix<T>& a, CsrMatrix<T>& k) const {
        parallel_for(0, a.rows, kFactorRows, [&](std::int64_t i) {
            const auto row = static_cast<std::size_t>(i);
            auto to = static_cast<std::size_t>(k.row_ptrs[row]);
            require_length(row, k.row_ptrs[row + 1] - k.row_ptrs[row] - 1, diagonal_[row] - a.row_ptrs[row]);
            for (auto from = static_cast<std::size_t>(a.row_ptrs[row]); from < static_cast<std::size_t>(diagonal_[row]);
                 ++from) {
                const double g = double{a.values[from]} * inverse_dw_[static_cast<std::size_t>(a.col_idxs[from])];
                k.values[to++] = static_cast<T>(-scale_[row] * g);
            }
            k.values[to] = static_cast<T>(scale_[row]);
        });
    }

    double w_;
    Buffer<offset_t> diagonal_;  // positions in A
    Buffer<double> inverse_dw_;  // Dw^-1
    Buffer<double> scale_;       // S: sqrt(2 - w) Dw^(-1/2)
    Buffer<offset_t> transposed_positions_;
};

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_ssor_ai(const CsrMatrix<T>& a, Options& options) {
    return std::make_unique<SsorApproximateInverse<T>>(a, SsorChoice(options));
}

template std::unique_ptr<Preconditioner<double>> make_ssor_ai(const CsrMatrix<double>&, Options&);
template std::unique_ptr<Preconditioner<float>> make_ssor_ai(const CsrMatrix<float>&, Options&);

}  // namespace tilespmv::solver
