#pragma once

#include <algorithm>

#include "kernels/block.hpp"
#include "tile/csr.hpp"
#include "tile/parallel.hpp"
#include "tile/types.hpp"

namespace tilespmv {

/// Copies a block to another one of its size, in the memory of the host, in parallel; layouts may differ.
template <Value V>
void copy_block(const Block<const V>& from, const Block<V>& to) {
    constexpr int kColumns = 8;
    const std::size_t from_row = from.row_stride(), from_col = from.col_stride();
    const std::size_t to_row = to.row_stride(), to_col = to.col_stride();
    parallel_ranges(0, static_cast<std::int64_t>(from.rows), kRowGrain, [&](std::int64_t first, std::int64_t last) {
        for (int c = 0; c < from.cols; c += kColumns) {
            const auto columns = static_cast<std::size_t>(std::min(kColumns, from.cols - c));
            for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
                const V* const source = from.data + r * from_row + static_cast<std::size_t>(c) * from_col;
                V* const target = to.data + r * to_row + static_cast<std::size_t>(c) * to_col;
                for (std::size_t i = 0; i < columns; ++i) target[i * to_col] = source[i * from_col];
            }
        }
    });
}

/// A block of its own memory, uninitialised.
template <Value V>
class OwnedBlock {
public:
    OwnedBlock(std::size_t rows, int cols, Layout layout)
        : values_(rows * static_cast<std::size_t>(cols)),
          block_(values_.data(), rows, cols, layout == Layout::row_major ? static_cast<std::size_t>(cols) : rows,
                 layout, Memory::host) {}
    [[nodiscard]] const Block<V>& get() const { return block_; }
    void fill(V value) { std::fill(values_.begin(), values_.end(), value); }

private:
    Buffer<V> values_;
    Block<V> block_;
};

}  // namespace tilespmv
