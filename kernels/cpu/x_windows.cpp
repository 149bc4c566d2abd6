#include "kernels/cpu/x_windows.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "tile/parallel.hpp"

namespace tilespmv::cpu {
namespace {

constexpr std::int64_t kChunkGrain = 4;

/// The first column of any of these chunks, or `none`.
index_t first_column(std::span<const RowRange> chunks, index_t none) {
    for (const RowRange& columns : chunks) none = std::min(none, columns.first);
    return none;
}

}  // namespace

template <Value V>
std::vector<RowRange> columns_of_chunks(const CsrRows<V>& a, std::span<const Chunk> chunks) {
    std::vector<RowRange> all(chunks.size());
    parallel_for(0, std::ssize(chunks), kChunkGrain, [&](std::int64_t i) {
        const Span rows = chunks[static_cast<std::size_t>(i)].csr_rows;
        RowRange columns{std::numeric_limits<index_t>::max(), 0};
        for (offset_t k = rows.begin; k < rows.end; ++k) {
            const offset_t begin = a.begin(k), end = a.begin(k + 1);
            if (begin == end) continue;
            columns.first = std::min(columns.first, a.col_idxs[static_cast<std::size_t>(begin)]);
            columns.end = std::max(columns.end, a.col_idxs[static_cast<std::size_t>(end - 1)] + 1);
        }
        all[static_cast<std::size_t>(i)] = columns;
    });
    return all;
}

XWindows make_x_windows(std::span<const RowRange> columns_of_chunks, int runs, index_t x_rows, index_t most_rows) {
    XWindows windows;
    const auto count = static_cast<offset_t>(columns_of_chunks.size());
    index_t rows = 1;
    offset_t copied = 0;
    for (int i = 0; i < runs; ++i) {
        const Span chunks{count * i / runs, count * (i + 1) / runs};
        const auto of_run = columns_of_chunks.subspan(static_cast<std::size_t>(chunks.begin),
                                                      static_cast<std::size_t>(chunks.end - chunks.begin));
        const index_t first = first_column(of_run, x_rows);
        index_t end = first;
        for (const RowRange& columns : of_run) {
            end = std::max(end, columns.end);
            rows = std::max(rows, end - std::min(columns.first, end));
        }
        copied += end - first;
        windows.runs.push_back({chunks, first});
    }
    if (rows > most_rows || copied > x_rows + x_rows / 4) return {};
    windows.rows = static_cast<index_t>(std::bit_ceil(static_cast<std::uint32_t>(rows)));
    return windows;
}

template std::vector<RowRange> columns_of_chunks(const CsrRows<double>&, std::span<const Chunk>);
template std::vector<RowRange> columns_of_chunks(const CsrRows<float>&, std::span<const Chunk>);

}  // namespace tilespmv::cpu
