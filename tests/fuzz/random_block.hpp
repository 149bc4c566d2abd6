#pragma once

#include <array>
#include <limits>
#include <vector>

#include "kernels/block.hpp"
#include "kernels/check.hpp"
#include "kernels/operator.hpp"
#include "tests/fuzz/random_matrix.hpp"

namespace tilespmv::fuzz {

/// Values of a block whose lines are longer than what they hold, and where they stand.
template <Value V>
struct BlockShape {
    std::size_t rows = 0;
    int cols = 1;
    Layout layout = Layout::column_major;
    std::size_t gap = 0;

    [[nodiscard]] Block<V> of(std::vector<V>& values) const {
        const auto columns = static_cast<std::size_t>(cols);
        const bool by_rows = layout == Layout::row_major;
        const std::size_t ld = (by_rows ? columns : rows) + gap;
        values.resize(ld * (by_rows ? rows : columns));
        return {values.data(), rows, cols, ld, layout, Memory::host};
    }
};

/// What several columns are multiplied by, and what is expected of each.
template <Value V>
struct BlockProduct {
    Op op = Op::none;
    BlockShape<V> x_shape;
    BlockShape<V> y_shape;
    std::vector<V> x;  // in x_shape, as y
    std::vector<V> y;
    ExpectedProduct expected;
};

template <Value V>
std::vector<V> column_of(const Block<V>& block, int c) {
    std::vector<V> column(block.rows);
    for (std::size_t r = 0; r < column.size(); ++r) column[r] = block.at(r, c);
    return column;
}

/// `multiplied`: the matrix or, for the transpose, that. Unless `is_finite` some value of X is infinite.
template <Value V>
BlockProduct<V> random_block(const CsrMatrix<V>& multiplied, Op op, V alpha, V beta, bool is_finite, Random& random) {
    const int cols = random.pick(std::array{1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 33});
    const auto shape = [&](index_t rows) {
        const auto layout = random.once_in(2) ? Layout::row_major : Layout::column_major;
        return BlockShape<V>{static_cast<std::size_t>(rows), cols, layout, static_cast<std::size_t>(random.below(4))};
    };
    BlockProduct<V> block{op, shape(multiplied.cols), shape(multiplied.rows), {}, {}, {}};
    const Block<V> x = block.x_shape.of(block.x), y = block.y_shape.of(block.y);
    for (V& value : block.x) value = static_cast<V>(random.number());
    if (!is_finite && multiplied.cols > 0) {
        const auto row = static_cast<std::size_t>(random.below(multiplied.cols));
        x.at(row, static_cast<int>(random.below(cols))) = std::numeric_limits<V>::infinity();
    }
    for (V& value : block.y) value = static_cast<V>(random.number());
    block.expected = expected_product<V>(multiplied, static_cast<double>(alpha), x, static_cast<double>(beta), y);
    return block;
}

}  // namespace tilespmv::fuzz
