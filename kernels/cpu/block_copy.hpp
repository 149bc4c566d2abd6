#pragma once

#include <algorithm>

#include "kernels/block.hpp"
#include "tile/buffer.hpp"
#include "tile/parallel.hpp"
#include "tile/types.hpp"

namespace tilespmv::cpu {

/// Copies a block to another one of its size, in the memory of the host, in parallel; layouts may differ.
template <CpuValue V>
void copy_block(const Block<const V>& from, const Block<V>& to) {
    constexpr std::int64_t kRows = 64;  // whose columns stay in the cache
    parallel_ranges(0, static_cast<std::int64_t>(from.rows), kRows * 64, [&](std::int64_t first, std::int64_t last) {
        for (auto row = first; row < last; row += kRows) {
            const auto end = static_cast<std::size_t>(std::min(row + kRows, last));
            for (int c = 0; c < from.cols; ++c) {
                for (auto r = static_cast<std::size_t>(row); r < end; ++r) to.at(r, c) = from.at(r, c);
            }
        }
    });
}

/// A block of its own memory, uninitialised.
template <CpuValue V>
class OwnedBlock {
public:
    OwnedBlock(std::size_t rows, int cols, Layout layout)
        : values_(rows * static_cast<std::size_t>(cols)),
          block_(values_.data(), rows, cols, layout == Layout::row_major ? static_cast<std::size_t>(cols) : rows,
                 layout, Memory::host) {}
    [[nodiscard]] const Block<V>& get() const { return block_; }

private:
    Buffer<V> values_;
    Block<V> block_;
};

}  // namespace tilespmv::cpu
