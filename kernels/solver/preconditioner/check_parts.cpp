#include "kernels/solver/preconditioner/check_parts.hpp"

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

void require(bool fits, const char* what, std::size_t found, std::size_t expected) {
    if (fits) return;
    throw Error(
        fmt::format("the preconditioner does not fit the matrix: {}, found {}, expected {}", what, found, expected));
}

}  // namespace

template <class T>
void check_parts(const PreconditionerParts<T>& parts, index_t rows) {
    const auto size = static_cast<std::size_t>(rows);
    require(parts.size == rows && rows >= 0, "rows", static_cast<std::size_t>(parts.size), size);
    const std::size_t values = parts.inverse_diagonal.size();
    require(values == 0 || values == size, "values of the inverse diagonal", values, size);
    for (const auto& stage : parts.stages) {
        require(stage.rows == rows, "rows of a stage", static_cast<std::size_t>(stage.rows), size);
        require(stage.cols == rows, "columns of a stage", static_cast<std::size_t>(stage.cols), size);
        validate_row_ptrs(stage);
    }
}

template void check_parts(const PreconditionerParts<double>&, index_t);
template void check_parts(const PreconditionerParts<float>&, index_t);

}  // namespace tilespmv::solver
