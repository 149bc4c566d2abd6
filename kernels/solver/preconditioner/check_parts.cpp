#include "kernels/solver/preconditioner/check_parts.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

void require(bool fits, const char* what, std::size_t found, std::size_t expected) {
    if (fits) return;
    throw Error(
        fmt::format("the preconditioner does not fit the matrix: {}, found {}, expected {}", what, found, expected));
}

void require_size(const char* what, std::size_t found, std::size_t expected) {
    require(found == 0 || found == expected, what, found, expected);
}

template <class V>
void check_stage(const ProductStage<V>& stage, index_t rows) {
    const auto size = static_cast<std::size_t>(rows);
    require(stage.matrix.rows == rows, "rows of a stage", static_cast<std::size_t>(stage.matrix.rows), size);
    require(stage.matrix.cols == rows, "columns of a stage", static_cast<std::size_t>(stage.matrix.cols), size);
    validate_row_ptrs(stage.matrix);
    require_size("values of the diagonal of a stage", stage.diagonal.size(), size);
}

template <class V>
void check(const PreconditionerParts<V>& parts, index_t rows) {
    const auto size = static_cast<std::size_t>(rows);
    require(parts.size == rows && rows >= 0, "rows", static_cast<std::size_t>(parts.size), size);
    require_size("values of the inverse diagonal", parts.inverse_diagonal.size(), size);
    if (!parts.inverse_blocks.empty()) {
        const auto k = static_cast<std::size_t>(std::max(parts.block_size, 1));
        require_size("values of the inverse blocks", parts.inverse_blocks.size(), (size + k - 1) / k * k * k);
    }
    for (const auto& stage : parts.stages) check_stage(stage, rows);
    if (!parts.stages.empty()) {
        require(parts.stages.front().diagonal.empty(), "values of the diagonal of the first stage",
                parts.stages.front().diagonal.size(), 0);
    }
}

}  // namespace

void check_parts(const AnyPreconditionerParts& parts, index_t rows) {
    std::visit([rows](const auto& typed) { check(typed, rows); }, parts);
}

}  // namespace tilespmv::solver
