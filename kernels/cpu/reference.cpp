#include "kernels/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/host_operator.hpp"
#include "kernels/registry.hpp"

namespace tilespmv::cpu {
namespace {

/// An unevaluated sum of two doubles (Dekker; Ogita, Rump, Oishi 2005): error-free sums and products, the errors
/// gathered in `low`.
struct TwoDoubles {
    double high = 0;
    double low = 0;

    void add(double b) {
        const double sum = high + b;
        const double part = sum - high;
        low += (high - (sum - part)) + (b - part);
        high = sum;
    }
    void add_product(double a, double b) {
        const double product = a * b;
        low += std::fma(a, b, -product);
        add(product);
    }
    /// Behind an overflow `low` is NaN, and `high` is what plain sums give.
    [[nodiscard]] double value() const { return std::isfinite(high) ? high + low : high; }
};

/// Sum of the partial products of a row. Those that are NaN or Inf are kept apart: they alone decide the result, and
/// the error terms of the others would turn Inf into NaN.
class RowSum {
public:
    void add(double a, double x) {
        const double product = a * x;
        if (std::isfinite(product)) {
            finite_.add_product(a, x);
            magnitude_ += std::abs(product);
        } else if (std::isfinite(a) && std::isfinite(x)) {
            magnitude_ = std::numeric_limits<double>::infinity();  // an overflow
            finite_.high += product;
        } else {
            special_ += product;
            has_special_ = true;
        }
    }

    [[nodiscard]] double magnitude() const { return magnitude_; }

    /// alpha * sum + beta * y
    [[nodiscard]] double scaled(double alpha, double beta, double y) const {
        const double rounded = alpha * (has_special_ ? special_ : finite_.value()) + beta * y;
        if (!std::isfinite(rounded)) return rounded;
        TwoDoubles result;
        result.add_product(alpha, finite_.high);
        result.add_product(alpha, finite_.low);
        result.add_product(beta, y);
        return result.value();
    }

private:
    TwoDoubles finite_;
    double special_ = 0;
    double magnitude_ = 0;
    bool has_special_ = false;
};

template <CpuValue V>
class Reference final : public HostOperator<V> {
public:
    explicit Reference(const Source<V>& source)
        : HostOperator<V>({.name = "reference", .rows = source.rows(), .cols = source.cols(), .nnz = source.nnz()}),
          source_(source),
          a_(with_values(source.csr(), {source.csr().values.data(), source.csr().values.size()})) {
        const std::size_t bytes = a_.row_ptrs.bytes() + a_.col_idxs.bytes() + a_.values.bytes();
        this->set_parts(bytes, 0, {});
        this->set_executed([this, bytes] {
            return executed_whole("csr", occupied_tile_rows(a_.row_ptrs, 0, a_.rows), a_.nnz(), bytes);
        });
    }

    void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
        for (index_t row = 0; row < a_.rows; ++row) {
            y[row] = static_cast<V>(reference_row(a_, row, alpha, x.data(), beta, y.data()).value);
        }
    }
    void replace_values(std::span<const V> values) override {
        if (values.data() == a_.values.data()) return;
        if (own_values_.size() != values.size()) own_values_ = Buffer<V>(values.size());
        std::ranges::copy(values, own_values_.begin());
        a_ = with_values(source_.csr(), {own_values_.data(), own_values_.size()});
    }

private:
    Source<V> source_;
    CsrMatrix<V> a_;  // borrowed
    Buffer<V> own_values_;
};

}  // namespace

template <Value V>
ReferenceRow reference_row(const CsrMatrix<V>& a, index_t row, double alpha, const V* x, double beta, const V* y) {
    ReferenceRow result;
    const double old = beta == 0 ? 0.0 : static_cast<double>(y[row]);
    result.value = beta * old;
    result.addend = std::abs(result.value);
    if (alpha == 0) return result;
    RowSum sum;
    for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
        sum.add(static_cast<double>(a.values[p]), static_cast<double>(x[a.col_idxs[p]]));
    }
    result.value = sum.scaled(alpha, beta, old);
    result.magnitude = sum.magnitude();
    result.nnz = a.row_ptrs[row + 1] - a.row_ptrs[row];
    return result;
}

template <CpuValue V>
std::unique_ptr<Operator<V>> make_reference(const Source<V>& source, Options& options, const MakeContext&) {
    options.finish();
    return std::make_unique<Reference<V>>(source);
}

#define TILESPMV_INSTANTIATE(V) \
    template ReferenceRow reference_row(const CsrMatrix<V>&, index_t, double, const V*, double, const V*);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

template <class V>
OperatorInfo<V> info_of_reference() {
    return {{.name = "reference",
             .summary = "one thread, sums in twice the precision; what the others are checked against",
             .new_values = NewValues::always,
             .takes_16_bit_values = false,
             .role = Role::oracle},
            make_reference<V>};
}

template OperatorInfo<double> info_of_reference();
template OperatorInfo<float> info_of_reference();

}  // namespace tilespmv::cpu
