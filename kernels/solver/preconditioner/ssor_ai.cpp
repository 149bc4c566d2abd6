#include "kernels/solver/preconditioner/ssor_ai.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "kernels/refusal.hpp"
#include "kernels/solver/preconditioner/sparse_product.hpp"
#include "kernels/solver/preconditioner/triangle.hpp"
#include "kernels/solver/preconditioner/value_option.hpp"
#include "tile/parallel.hpp"
#include "tile/transpose.hpp"

namespace tilespmv::solver {
namespace {

constexpr std::int64_t kFactorRows = 512;                      ///< that a thread does at a time
constexpr std::uint64_t kAlwaysFine = std::uint64_t{1} << 26;  ///< bytes of a product that is made whatever A takes

enum class Shape { factors, pair, whole };

struct Choice {
    double w = 1;
    int order = 1;
    Shape shape = Shape::factors;
    std::string operators;
};

/// The pattern of L, or of L + I, of A, with `positions` of its diagonal; values not set.
template <class V, class T>
CsrMatrix<V> lower_pattern(const CsrMatrix<T>& a, const Buffer<offset_t>& positions, bool with_diagonal) {
    const auto rows = static_cast<std::size_t>(a.rows);
    CsrMatrix<V> lower;
    lower.rows = lower.cols = a.rows;
    lower.row_ptrs = Buffer<offset_t>(rows + 1, 0);
    const offset_t diagonal = with_diagonal ? 1 : 0;
    for (std::size_t row = 0; row < rows; ++row)
        lower.row_ptrs[row + 1] = lower.row_ptrs[row] + positions[row] - a.row_ptrs[row] + diagonal;
    const auto nnz = static_cast<std::size_t>(lower.row_ptrs[rows]);
    lower.col_idxs = Buffer<index_t>(nnz);
    lower.values = Buffer<V>(nnz);
    parallel_for(0, a.rows, kFactorRows, [&](std::int64_t i) {
        const auto row = static_cast<std::size_t>(i);
        std::copy(a.col_idxs.data() + a.row_ptrs[row], a.col_idxs.data() + positions[row] + diagonal,
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
offset_t longest_row(const CsrMatrix<T>& a) {
    offset_t longest = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row)
        longest = std::max(longest, a.row_ptrs[row + 1] - a.row_ptrs[row]);
    return longest;
}

template <class T, class V>
class SsorApproximateInverse final : public Preconditioner<T> {
public:
    SsorApproximateInverse(const CsrMatrix<T>& a, const Choice& choice)
        : choice_(choice),
          diagonal_(static_cast<std::size_t>(a.rows)),
          inverse_dw_(diagonal_.size()),
          scale_(diagonal_.size()) {
        find_diagonal(a, "ssor-ai", diagonal_);
        PreconditionerParts<V> parts;
        parts.size = a.rows;
        parts.operators = choice.operators;
        make_patterns(a, parts);
        this->parts_ = std::move(parts);
        SsorApproximateInverse::update_values(a);
    }

    void update_values(const CsrMatrix<T>& a) override {
        find_diagonal(a, "ssor-ai", diagonal_);
        parallel_for(0, a.rows, kFactorRows, [&](std::int64_t i) {
            const auto row = static_cast<std::size_t>(i);
            inverse_dw_[row] = choice_.w / double{a.values[static_cast<std::size_t>(diagonal_[row])]};
            scale_[row] = std::sqrt((2 - choice_.w) * inverse_dw_[row]);
            in_range<V>(choice_.shape == Shape::whole ? scale_[row] * scale_[row] : scale_[row], "ssor-ai", i);
        });
        auto& parts = std::get<PreconditionerParts<V>>(this->parts_);
        if (is_chain_of_four()) return update_four(a, parts);
        compute_k(a);
        gather(k_.values, k_transposed_.positions, k_transposed_.matrix.values);
        update_stages(parts);
    }

private:
    [[nodiscard]] bool is_chain_of_four() const { return choice_.order == 2 && choice_.shape == Shape::factors; }

    // Patterns

    void make_patterns(const CsrMatrix<T>& a, PreconditionerParts<V>& parts) {
        CsrMatrix<V> lower = lower_pattern<V>(a, diagonal_, true);
        if (is_chain_of_four()) return make_four(a, std::move(lower), parts);
        if (choice_.order == 2) {
            one_minus_g_ = std::move(lower);
            k_ = product_of(a, one_minus_g_, one_minus_g_);
        } else {
            k_ = std::move(lower);
        }
        k_transposed_ = transpose_pattern(k_);
        if (choice_.shape == Shape::whole) {
            parts.stages.push_back({product_of(a, k_transposed_.matrix, k_), {}});
        } else {
            parts.stages.push_back({k_.clone(), {}});
            parts.stages.push_back({k_transposed_.matrix.clone(), {}});
        }
    }

    /// Counted before memory is taken for it: a row with many nonzeros fills that many rows of a product.
    [[nodiscard]] CsrMatrix<V> product_of(const CsrMatrix<T>& a, const CsrMatrix<V>& left,
                                          const CsrMatrix<V>& right) const {
        const std::uint64_t most = most_bytes(a, kAlwaysFine);
        auto product = product_pattern(left, right, static_cast<offset_t>(most / (sizeof(index_t) + sizeof(V))));
        if (product) return *std::move(product);
        throw Refusal(
            fmt::format("no ssor-ai:form={} preconditioner: it would take more than {} bytes, for the longest row of "
                        "the matrix has "
                        "{} nonzeros; take form=factors",
                        choice_.shape == Shape::whole ? "explicit" : "pair", most, longest_row(a)));
    }

    /// w = K' K r: v1 = P r, v2 = Q v1 + S r, v3 = Q' v2, w = P' v3 + S v2, with P = I - G, Q = -S G, G = L Dw^-1 and S
    /// the diagonal of factors before the brackets.
    void make_four(const CsrMatrix<T>& a, CsrMatrix<V> p, PreconditionerParts<V>& parts) {
        CsrMatrix<V> q = lower_pattern<V>(a, diagonal_, false);
        p_transposed_ = transpose_pattern(p);
        k_transposed_ = transpose_pattern(q);
        CsrMatrix<V> q_transposed = k_transposed_.matrix.clone(), p_transposed = p_transposed_.matrix.clone();
        parts.stages.push_back({std::move(p), {}});
        parts.stages.push_back({std::move(q), Buffer<V>(diagonal_.size())});
        parts.stages.push_back({std::move(q_transposed), {}});
        parts.stages.push_back({std::move(p_transposed), Buffer<V>(diagonal_.size())});
    }

    // Values

    /// lower = rows scaled by `factor(row)` of (I - G), or of -G without the diagonal.
    template <class Factor>
    void fill_lower(const CsrMatrix<T>& a, CsrMatrix<V>& lower, Factor&& factor, bool with_diagonal = true) const {
        parallel_for(0, a.rows, kFactorRows, [&](std::int64_t i) {
            const auto row = static_cast<std::size_t>(i);
            auto to = static_cast<std::size_t>(lower.row_ptrs[row]);
            require_length(row, lower.row_ptrs[row + 1] - lower.row_ptrs[row] - (with_diagonal ? 1 : 0),
                           diagonal_[row] - a.row_ptrs[row]);
            const double scale = factor(row);
            for (auto from = static_cast<std::size_t>(a.row_ptrs[row]); from < static_cast<std::size_t>(diagonal_[row]);
                 ++from) {
                const double g = double{a.values[from]} * inverse_dw_[static_cast<std::size_t>(a.col_idxs[from])];
                lower.values[to++] = static_cast<V>(-scale * g);
            }
            if (with_diagonal) lower.values[to] = static_cast<V>(scale);
        });
    }

    void compute_k(const CsrMatrix<T>& a) {
        const auto s = [this](std::size_t row) { return scale_[row]; };
        if (choice_.order == 1) return fill_lower(a, k_, s);
        fill_lower(a, one_minus_g_, [](std::size_t) { return 1.0; });
        multiply_values(one_minus_g_, one_minus_g_, true, k_);  // -G (I - G)
        parallel_for(0, a.rows, kFactorRows, [&](std::int64_t i) {
            const auto row = static_cast<std::size_t>(i);
            const auto last = static_cast<std::size_t>(k_.row_ptrs[row + 1]);
            k_.values[last - 1] += V{1};
            for (auto p = static_cast<std::size_t>(k_.row_ptrs[row]); p < last; ++p)
                k_.values[p] = static_cast<V>(scale_[row] * double{k_.values[p]});
        });
    }

    static void gather(const Buffer<V>& from, const Buffer<offset_t>& positions, Buffer<V>& to) {
        gather_values<V>({from.data(), from.size()}, positions, to);
    }

    void update_stages(PreconditionerParts<V>& parts) {
        if (choice_.shape == Shape::whole)
            return multiply_values(k_transposed_.matrix, k_, false, parts.stages[0].matrix);
        std::ranges::copy(k_.values, parts.stages[0].matrix.values.begin());
        std::ranges::copy(k_transposed_.matrix.values, parts.stages[1].matrix.values.begin());
    }

    void update_four(const CsrMatrix<T>& a, PreconditionerParts<V>& parts) {
        auto& stages = parts.stages;
        fill_lower(a, stages[0].matrix, [](std::size_t) { return 1.0; });
        fill_lower(
            a, stages[1].matrix, [this](std::size_t row) { return scale_[row]; }, false);
        gather(stages[1].matrix.values, k_transposed_.positions, stages[2].matrix.values);
        gather(stages[0].matrix.values, p_transposed_.positions, stages[3].matrix.values);
        for (const std::size_t stage : {1, 3}) {
            std::ranges::transform(scale_, stages[stage].diagonal.begin(),
                                   [](double scale) { return static_cast<V>(scale); });
        }
    }

    Choice choice_;
    Buffer<offset_t> diagonal_;  // positions in A
    Buffer<double> inverse_dw_;  // Dw^-1
    Buffer<double> scale_;       // S: sqrt(2 - w) Dw^(-1/2)
    CsrMatrix<V> one_minus_g_;
    CsrMatrix<V> k_;
    Transpose<V> k_transposed_;  // of a chain of four: Q'
    Transpose<V> p_transposed_;
};

Shape read_shape(Options& options) {
    const std::string word = options.word("form", "factors");
    if (word == "factors") return Shape::factors;
    if (word == "pair") return Shape::pair;
    if (word == "explicit") return Shape::whole;
    options.fail("form: found '" + word + "', expected factors, pair or explicit");
}

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_ssor_ai(const CsrMatrix<T>& a, Options& options) {
    Choice choice;
    choice.w = options.number("w", 1, 0x1p-20, 2 - 0x1p-20);
    choice.order = options.one_of("order", 1, {1, 2});
    choice.shape = read_shape(options);
    choice.operators = options.word("operator", "auto");
    return make_with_values<SsorApproximateInverse>(a, options, choice);
}

template std::unique_ptr<Preconditioner<double>> make_ssor_ai(const CsrMatrix<double>&, Options&);
template std::unique_ptr<Preconditioner<float>> make_ssor_ai(const CsrMatrix<float>&, Options&);

}  // namespace tilespmv::solver
