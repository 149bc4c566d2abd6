#include "kernels/check.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernels/cpu/reference.hpp"
#include "tile/error.hpp"

namespace tilespmv {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <Value V>
double error_bound(const cpu::ReferenceRow& row) {
    constexpr double u = std::numeric_limits<double>::epsilon() / 2;
    constexpr double u_result = std::same_as<V, float> ? std::numeric_limits<float>::epsilon() / 2 : 0.0;
    const double roundings = static_cast<double>(row.nnz) + 2;
    const double bound = ExpectedProduct::kErrorFactor * u * (roundings * row.magnitude + 2 * row.addend);
    const double underflow = roundings * std::numeric_limits<V>::denorm_min();
    return bound + u_result * (std::abs(row.value) + bound) + underflow;
}

/// Error in units of the bound.
template <Value V>
double error_ratio(double expected, double bound, V found) {
    if (bound == kInfinity || found == static_cast<V>(expected)) return 0;
    if (std::isnan(expected)) return std::isnan(found) ? 0 : kInfinity;
    if (std::isnan(found) || std::isinf(expected)) return kInfinity;
    if (std::isinf(found)) {  // right only next to the largest number
        return static_cast<V>(expected + std::copysign(bound, expected)) == found ? 1 : kInfinity;
    }
    return std::abs(static_cast<double>(found) - expected) / bound;
}

}  // namespace

template <Value V>
ExpectedProduct expected_product(const CsrMatrix<V>& a, V alpha, std::span<const V> x, V beta, std::span<const V> y) {
    const auto rows = static_cast<std::size_t>(a.rows);
    if (x.size() != static_cast<std::size_t>(a.cols) || (beta != V{0} && y.size() != rows)) {
        throw Error(
            fmt::format("check: x has {} and y {} values for a matrix of {} x {}", x.size(), y.size(), a.rows, a.cols));
    }
    ExpectedProduct expected{Buffer<double>(rows), Buffer<double>(rows)};
    for (index_t i = 0; i < a.rows; ++i) {
        const auto row = cpu::reference_row(a, i, alpha, x.data(), beta, y.data());
        expected.values[i] = row.value;
        expected.bounds[i] = error_bound<V>(row);
    }
    return expected;
}

template <Value V>
CheckResult check_product(const ExpectedProduct& expected, std::span<const V> y) {
    if (y.size() != expected.values.size()) {
        throw Error(fmt::format("check: y has {} values, expected {}", y.size(), expected.values.size()));
    }
    CheckResult worst;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double ratio = error_ratio(expected.values[i], expected.bounds[i], y[i]);
        if (i > 0 && ratio <= worst.ratio) continue;
        worst = {ratio <= 1, static_cast<index_t>(i), ratio, expected.values[i], static_cast<double>(y[i])};
    }
    return worst;
}

std::string CheckResult::message() const {
    if (ok) return fmt::format("right: largest error {:.2g} of its bound (row {})", ratio, row);
    return fmt::format("wrong: row {} is {}, expected {}, error {:.3g} times its bound", row, found, expected, ratio);
}

template ExpectedProduct expected_product(const CsrMatrix<double>&, double, std::span<const double>, double,
                                          std::span<const double>);
template ExpectedProduct expected_product(const CsrMatrix<float>&, float, std::span<const float>, float,
                                          std::span<const float>);
template CheckResult check_product(const ExpectedProduct&, std::span<const double>);
template CheckResult check_product(const ExpectedProduct&, std::span<const float>);

}  // namespace tilespmv
