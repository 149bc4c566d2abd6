#include "kernels/operator.hpp"

#include <fmt/format.h>

namespace tilespmv {

template <Value V>
void Operator<V>::check(const Block<const V>& x, const Block<V>& y, const Run& run) const {
    const bool is_transposed = run.op == Op::transpose;
    const auto require = [&](std::string_view name_of, const auto& block, bool has_columns) {
        const auto expected = static_cast<std::size_t>(has_columns ? cols() : rows());
        if (block.rows != expected) {
            throw Error(fmt::format("{}: {} has {} values, expected {}, the {} of the matrix", name(), name_of,
                                    block.rows, expected, has_columns ? "columns" : "rows"));
        }
        const bool is_row_major = block.layout == Layout::row_major;
        const std::size_t neighbours = is_row_major ? static_cast<std::size_t>(block.cols) : block.rows;
        if (block.ld < neighbours && (is_row_major ? block.rows : static_cast<std::size_t>(block.cols)) > 1) {
            throw Error(fmt::format("{}: the leading dimension of {} is {}, expected at least {}", name(), name_of,
                                    block.ld, neighbours));
        }
    };
    if (is_transposed && !facts_.transposes) {
        throw Error(
            fmt::format("{} does not multiply by the transpose; an operator made by with_transpose does", name()));
    }
    require("x", x, !is_transposed);
    require("y", y, is_transposed);
    if (x.cols != y.cols) throw Error(fmt::format("{}: x has {} columns, y has {}", name(), x.cols, y.cols));
    if (x.cols < 0) throw Error(fmt::format("{}: x and y have {} columns, expected at least 0", name(), x.cols));
    if (x.memory != y.memory) {
        throw Error(fmt::format("{}: x and y are not in the same memory, that of the host or that of the GPU", name()));
    }
    // Of blocks that overlap otherwise, columns may still lie side by side.
    if (x.data == y.data && x.data != nullptr && x.cols > 0 && x.rows > 0 && y.rows > 0) {
        throw Error(fmt::format("{}: x and y are the same array; give y memory of its own", name()));
    }
}

template <Value V>
void Operator<V>::apply(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                        const Run& run) const {
    check(x, y, run);
    if (x.cols == 1 && x.has_columns() && y.has_columns()) {
        return multiply_column(alpha, x.column(0), beta, y.column(0), run);
    }
    if (x.cols > 0) multiply_columns(alpha, x, beta, y, run);
}

template <Value V>
void Operator<V>::update_values(const Block<const V>& values, const Run& run) {
    if (try_update_values(values, run)) return;
    throw Error(
        fmt::format("{}: its matrix was found to be symmetric, but these values are not; make it with "
                    "SecondForm::always",
                    name()));
}

template <Value V>
bool Operator<V>::try_update_values(const Block<const V>& values, const Run& run) {
    if (!facts_.no_new_values.empty()) throw Error(fmt::format(fmt::runtime(facts_.no_new_values), name()));
    if (values.rows != static_cast<std::size_t>(nnz())) {
        throw Error(fmt::format("{}: {} new values for {} nonzeros", name(), values.rows, nnz()));
    }
    return replace(values, run);
}

#define TILESPMV_INSTANTIATE(V) template class Operator<V>;
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
