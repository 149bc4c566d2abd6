#pragma once

#include <memory>
#include <string>

#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "tile/types.hpp"

namespace tilespmv::solver {

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
