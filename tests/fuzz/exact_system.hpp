#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tile/csr.hpp"

namespace tilespmv::fuzz {

using Exact = long double;

inline Exact norm(const std::vector<Exact>& v) {
    Exact sum = 0;
    for (const Exact value : v) sum += value * value;
    return std::sqrt(sum);
}

/// The larger; NaN if one of them is.
inline Exact larger(Exact a, Exact b) { return std::isnan(a) || a > b ? a : b; }

/// The largest size of an element; NaN where there is one.
template <class C>
Exact largest(const C& v) {
    Exact most = 0;
    for (const auto value : v) most = larger(most, std::abs(Exact{value}));
    return most;
}

inline bool is_finite(Exact value) { return std::isfinite(value); }

/// A symmetric matrix of a few rows in long double, whose range holds all products and squares of doubles.
class ExactSystem {
public:
    template <class T>
    explicit ExactSystem(const CsrMatrix<T>& a) : size_(static_cast<std::size_t>(a.rows)), a_(size_ * size_, 0) {
        for (std::size_t row = 0; row < size_; ++row) {
            for (auto p = static_cast<std::size_t>(a.row_ptrs[row]); p < static_cast<std::size_t>(a.row_ptrs[row + 1]);
                 ++p)
                at(a_, row, static_cast<std::size_t>(a.col_idxs[p])) = a.values[p];
        }
        for (std::size_t row = 0; row < size_; ++row) {
            Exact sum = 0;
            for (std::size_t col = 0; col < size_; ++col) sum += std::abs(at(a_, row, col));
            norm_ = larger(norm_, sum);
        }
        find_asymmetry();
        invert();
    }

    /// The largest difference of an entry and its mirror image, over the largest of both and of what their diagonals
    /// let an entry of a positive definite matrix be. 0 where a value is not finite.
    [[nodiscard]] Exact asymmetry() const { return asymmetry_; }
    /// The largest sum of a row.
    [[nodiscard]] Exact norm_of_rows() const { return norm_; }
    /// Infinite unless it is symmetric, up to a few roundings, and positive definite.
    [[nodiscard]] Exact condition() const { return condition_; }

    /// b - A x, and into `size` the norm of |b| + |A| |x|, to which roundings are relative.
    template <class B, class X>
    [[nodiscard]] std::vector<Exact> residual(const B& b, const X& x, Exact* size = nullptr) const {
        std::vector<Exact> r(size_), sizes(size_);
        for (std::size_t row = 0; row < size_; ++row) {
            r[row] = b[row];
            sizes[row] = std::abs(r[row]);
            for (std::size_t col = 0; col < size_; ++col) {
                const Exact a = at(a_, row, col);
                if (a == 0) continue;
                r[row] -= a * Exact{x[col]};
                sizes[row] += std::abs(a * Exact{x[col]});
            }
        }
        if (size != nullptr) *size = norm(sizes);
        return r;
    }

    /// A^-1 b, if the condition is finite.
    template <class B>
    [[nodiscard]] std::vector<Exact> solution(const B& b) const {
        std::vector<Exact> x(size_, 0);
        for (std::size_t row = 0; row < size_; ++row) {
            for (std::size_t col = 0; col < size_; ++col) x[row] += at(inverse_, row, col) * Exact{b[col]};
        }
        return x;
    }

private:
    Exact& at(std::vector<Exact>& m, std::size_t row, std::size_t col) const { return m[row * size_ + col]; }
    [[nodiscard]] Exact at(const std::vector<Exact>& m, std::size_t row, std::size_t col) const {
        return m[row * size_ + col];
    }

    void find_asymmetry() {
        if (!is_finite(norm_)) return;
        for (std::size_t row = 0; row < size_; ++row) {
            for (std::size_t col = 0; col < row; ++col) {
                const Exact here = at(a_, row, col), there = at(a_, col, row);
                const Exact most = std::sqrt(std::abs(at(a_, row, row)) * std::abs(at(a_, col, col)));
                const Exact size = std::max({std::abs(here), std::abs(there), most});
                if (size > 0) asymmetry_ = std::max(asymmetry_, std::abs(here - there) / size);
            }
        }
    }

    /// By Gauss and Jordan without pivots, which a positive definite matrix does not need.
    void invert() {
        if (!is_finite(norm_) || asymmetry_ > 1e-15L) return;
        std::vector<Exact> left = a_;
        inverse_.assign(size_ * size_, 0);
        for (std::size_t i = 0; i < size_; ++i) at(inverse_, i, i) = 1;
        for (std::size_t k = 0; k < size_; ++k) {
            const Exact pivot = at(left, k, k);
            if (!(pivot > 0)) return;
            for (std::size_t col = 0; col < size_; ++col) {
                at(left, k, col) /= pivot;
                at(inverse_, k, col) /= pivot;
            }
            for (std::size_t row = 0; row < size_; ++row) {
                const Exact factor = at(left, row, k);
                if (row == k || factor == 0) continue;
                for (std::size_t col = 0; col < size_; ++col) {
                    at(left, row, col) -= factor * at(left, k, col);
                    at(inverse_, row, col) -= factor * at(inverse_, k, col);
                }
            }
        }
        condition_ = 0;
        for (std::size_t row = 0; row < size_; ++row) {
            Exact sum = 0;
            for (std::size_t col = 0; col < size_; ++col) sum += std::abs(at(inverse_, row, col));
            condition_ = std::max(condition_, sum * norm_);
        }
    }

    std::size_t size_;
    std::vector<Exact> a_, inverse_;
    Exact norm_ = 0, asymmetry_ = 0;
    Exact condition_ = HUGE_VALL;
};

}  // namespace tilespmv::fuzz
