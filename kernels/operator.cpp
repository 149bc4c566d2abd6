#include "kernels/operator.hpp"

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {

template <Value V>
void Operator<V>::check(const Block<const V>& x, const Block<V>& y, const Run& run) const {
    const auto require = [&](std::string_view block, std::size_t found, std::string_view what, index_t expected) {
        if (found == static_cast<std::size_t>(expected)) return;
        throw Error(fmt::format("{}: {} has {} values, expected {}, the {} of the matrix", name(), block, found,
                                expected, what));
    };
    require("x", x.rows, "columns", cols());
    require("y", y.rows, "rows", rows());
    if (run.op == Op::transpose) throw Error(fmt::format("{} does not multiply by the transpose", name()));
    if (x.cols != y.cols) throw Error(fmt::format("{}: x has {} columns, y has {}", name(), x.cols, y.cols));
    if (x.memory != y.memory) {
        throw Error(fmt::format("{}: x and y are not in the same memory, that of the host or that of the GPU", name()));
    }
    if (!x.has_columns() || !y.has_columns()) {
        throw Error(
            fmt::format("{}: the values of a column are not neighbours; give blocks in column-major layout", name()));
    }
}

template <Value V>
void Operator<V>::apply(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                        const Run& run) const {
    check(x, y, run);
    for (int c = 0; c < x.cols; ++c) multiply_column(alpha, x.column(c), beta, y.column(c), run);
}

template <Value V>
void Operator<V>::update_values(const Block<const V>& values, const Run& run) {
    if (!facts_.no_new_values.empty()) throw Error(fmt::format(fmt::runtime(facts_.no_new_values), name()));
    if (values.rows != static_cast<std::size_t>(nnz())) {
        throw Error(fmt::format("{}: {} new values for {} nonzeros", name(), values.rows, nnz()));
    }
    replace(values, run);
}

#define TILESPMV_INSTANTIATE(V) template class Operator<V>;
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
