#include "kernels/check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr std::int64_t kGrain = 256;  // rows a thread takes at a time
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
constexpr double roundoff() {
    return static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
}

template <Value V, std::floating_point A>
double error_bound(const cpu::ReferenceRow& row, double alpha) {
    constexpr double factor = 2;  // K
    const double size = std::abs(alpha);
    const auto nnz = static_cast<double>(row.nnz);
    const double error_of_sum = factor * roundoff<A>() * (nnz + 3);
    const double largest = std::max({1.0, size}) * row.magnitude + row.addend;
    if (largest * (1 + error_of_sum) > std::numeric_limits<A>::max()) return kInfinity;
    const double bound = error_of_sum * size * row.magnitude + factor * roundoff<A>() * 3 * row.addend +
                         (size * nnz + 3) * std::numeric_limits<A>::denorm_min();
    if constexpr (std::same_as<V, A>) return bound;
    return bound + roundoff<V>() * (std::abs(row.value) + bound) +
           static_cast<double>(std::numeric_limits<V>::denorm_min()) / 2;
}

/// Error in units of the bound, which is computed only for a row that has an error: bounds of float64 are sums with
/// subnormal numbers, which take many processors a hundred times as long as others.
template <Value V>
double error_ratio(const cpu::ReferenceRow& row, double alpha, Accumulator accumulator, V found) {
    const double expected = row.value;
    if (found == static_cast<V>(expected)) return 0;
    const double bound = tilespmv::error_bound<V>(row, alpha, accumulator);
    if (bound == kInfinity) return 0;
    const auto value = static_cast<double>(found);
    if (std::isnan(expected)) return std::isnan(value) ? 0 : kInfinity;
    if (std::isnan(value) || std::isinf(expected)) return kInfinity;
    if (std::isinf(value)) {  // right only next to the largest number
        return static_cast<V>(expected + std::copysign(bound, expected)) == found ? 1 : kInfinity;
    }
    return std::abs(value - expected) / bound;
}

template <Value V>
Buffer<V> column_of(const Block<const V>& block, int c) {
    Buffer<V> column(block.rows);
    for (std::size_t r = 0; r < block.rows; ++r) column[r] = block.at(r, c);
    return column;
}

}  // namespace

template <Value V>
double error_bound(const cpu::ReferenceRow& row, double alpha, Accumulator accumulator) {
    return accumulator == Accumulator::float64 ? error_bound<V, double>(row, alpha) : error_bound<V, float>(row, alpha);
}

template <Value V>
ExpectedProduct expected_product(const CsrMatrix<V>& a, double alpha, const Block<const V>& x, double beta,
                                 const Block<const V>& y) {
    validate_row_ptrs(a);
    const auto rows = static_cast<std::size_t>(a.rows), columns = static_cast<std::size_t>(x.cols);
    if (x.rows != static_cast<std::size_t>(a.cols) || (beta != 0 && (y.rows != rows || y.cols != x.cols))) {
        throw Error(
            fmt::format("check: x has {} and y {} values for a matrix of {} x {}", x.size(), y.size(), a.rows, a.cols));
    }
    ExpectedProduct expected{Buffer<cpu::ReferenceRow>(rows * columns), alpha};
    for (int c = 0; c < x.cols; ++c) {
        const Buffer<V> x_c = column_of<V>(x, c), y_c = beta == 0 ? Buffer<V>() : column_of<V>(y, c);
        cpu::ReferenceRow* const of_column = expected.rows.data() + static_cast<std::size_t>(c) * rows;
        parallel_for(0, a.rows, kGrain, [&](std::int64_t i) {
            of_column[i] = cpu::reference_row(a, static_cast<index_t>(i), alpha, x_c.data(), beta, y_c.data());
        });
    }
    return expected;
}

template <Value V>
CheckResult check_product(const ExpectedProduct& expected, const Block<const V>& y, Accumulator accumulator) {
    if (y.size() != expected.rows.size()) {
        throw Error(fmt::format("check: y has {} values, expected {}", y.size(), expected.rows.size()));
    }
    CheckResult worst;
    for (std::size_t i = 0; i < expected.rows.size(); ++i) {
        const auto& row = expected.rows[i];
        const auto column = static_cast<int>(i / y.rows);
        const V found = y.at(i % y.rows, column);
        const double ratio = error_ratio(row, expected.alpha, accumulator, found);
        if (i > 0 && ratio <= worst.ratio) continue;
        worst = {ratio <= 1, static_cast<index_t>(i % y.rows), y.cols > 1 ? column : -1, ratio,
                 row.value,  static_cast<double>(found)};
    }
    return worst;
}

std::string CheckResult::message() const {
    const std::string where = column < 0 ? fmt::format("row {}", row) : fmt::format("row {} of column {}", row, column);
    if (ok) return fmt::format("right: largest error {:.2g} of its bound ({})", ratio, where);
    return fmt::format("wrong: {} is {}, expected {}, error {:.3g} times its bound", where, found, expected, ratio);
}

#define TILESPMV_INSTANTIATE(V)                                                                           \
    template double error_bound<V>(const cpu::ReferenceRow&, double, Accumulator);                        \
    template ExpectedProduct expected_product(const CsrMatrix<V>&, double, const Block<const V>&, double, \
                                              const Block<const V>&);                                     \
    template CheckResult check_product(const ExpectedProduct&, const Block<const V>&, Accumulator);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
