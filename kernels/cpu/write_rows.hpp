#pragma once

#include <algorithm>
#include <span>

#include "kernels/block.hpp"
#include "kernels/cpu/schedule.hpp"
#include "tile/parallel.hpp"
#include "tile/product_loop.hpp"

/// What operators of the CPU share that compute chunks of rows.
namespace tilespmv::cpu {

/// y = beta * y, the product with alpha = 0.
template <CpuValue V>
void scale(V beta, std::span<V> y) {
    constexpr std::int64_t grain = 1 << 16;
    product_loop(static_cast<std::int64_t>(y.size()), grain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = first; i < last; ++i) y[i] = beta == V{0} ? V{0} : beta * y[i];
    });
}

template <CpuValue V>
void scale_block(V beta, const Block<V>& y) {
    parallel_ranges(0, static_cast<std::int64_t>(y.rows), kRowGrain, [&](std::int64_t first, std::int64_t last) {
        for (int c = 0; c < y.cols; ++c) {
            for (auto r = static_cast<std::size_t>(first); r < static_cast<std::size_t>(last); ++r) {
                y.at(r, c) = beta == V{0} ? V{0} : beta * y.at(r, c);
            }
        }
    });
}

/// y = alpha * sums + beta * y for `n` rows.
template <CpuValue V>
void finish(const double* sums, index_t n, double alpha, double beta, V* y) {
    if (beta == 0) {
        for (index_t i = 0; i < n; ++i) y[i] = static_cast<V>(alpha * sums[i]);
    } else {
        for (index_t i = 0; i < n; ++i) y[i] = static_cast<V>(alpha * sums[i] + beta * static_cast<double>(y[i]));
    }
}

/// Rows of a chunk, whole warps of a GPU's plan, where `rows` rows of about equal bytes take `bytes` in all.
inline index_t rows_of_chunk(index_t rows, offset_t bytes) {
    constexpr offset_t multiple = 32;
    const offset_t fit = chunk_bytes(bytes) * rows / std::max<offset_t>(bytes, 1);
    return static_cast<index_t>(std::clamp<offset_t>(fit / multiple * multiple, multiple, Schedule::kMaxRows));
}

}  // namespace tilespmv::cpu
