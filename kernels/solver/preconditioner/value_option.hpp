#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "tile/error.hpp"
#include "tile/types.hpp"

namespace tilespmv::solver {

/// A value of M on its diagonal in its type, or `Error` where it would be 0 or Inf there: M would not be what it is
/// called. NaN is left to the iteration to find.
template <class V>
V in_range(double value, std::string_view preconditioner, std::int64_t row) {
    const auto rounded = static_cast<V>(value);
    if (std::isnan(value) || (rounded != 0 && std::isfinite(rounded))) return rounded;
    throw Error(fmt::format("no {} preconditioner in {}: the value of row {}, {:.3g}, is out of its range",
                            preconditioner, value_name<V>(), row + 1, value));
}

/// Reads the option `values` and the end of the options, and makes `P<T, V>(a, arguments...)` with V as that says.
template <template <class, class> class P, class T, class... Arguments>
std::unique_ptr<Preconditioner<T>> make_with_values(const CsrMatrix<T>& a, Options& options,
                                                    const Arguments&... arguments) {
    const std::string values = options.word("values", value_name<T>());
    options.finish();
    if (values == value_name<double>()) return std::make_unique<P<T, double>>(a, arguments...);
    if (values == value_name<float>()) return std::make_unique<P<T, float>>(a, arguments...);
    options.fail("values: found '" + values + "', expected float32 or float64");
}

}  // namespace tilespmv::solver
