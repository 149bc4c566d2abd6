#include "kernels/operators/csr16/csr16.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "tile/column_range.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr std::int64_t kFewBlocks = 128;  // fewer are not worth waking threads

/// Cuts rows into blocks, by their row pointers.
class Csr16Cutter {
public:
    Csr16Cutter(std::span<const offset_t> row_ptrs, std::span<const RowRange> rows, const Csr16Limits& limits)
        : row_ptrs_(row_ptrs), rows_(rows), limits_(limits) {}

    Csr16 run() {
        reserve();
        for (const RowRange range : rows_) cut(range);
        b_.ends = Buffer<std::uint16_t>(ends_);
        parallel_for(0, size(), kFewBlocks, [&](std::int64_t i) { find_ends(i); });
        return std::move(b_);
    }

private:
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(b_.blocks.size()); }
    [[nodiscard]] offset_t begin_of(std::int64_t row) const { return row_ptrs_[static_cast<std::size_t>(row)]; }

    /// For about as many blocks as there will be.
    void reserve() {
        offset_t blocks = 0;
        for (const RowRange range : rows_) {
            const offset_t nonzeros = begin_of(range.end) - begin_of(range.first);
            blocks += (range.end - range.first) / Csr16::kMaxRows + nonzeros / limits_.block_nonzeros + 1;
        }
        b_.blocks.reserve(static_cast<std::size_t>(blocks));
        b_.sources.reserve(static_cast<std::size_t>(blocks));
    }

    /// Blocks by their rows and nonzeros, one after the other.
    void cut(RowRange range) {
        for (std::int64_t row = range.first; row < range.end;) {
            const offset_t length = begin_of(row + 1) - begin_of(row);
            if (length > limits_.block_nonzeros) {
                add_long_row(row, length);
                ++row;
            } else {
                row = add_rows(row, range.end);
            }
        }
    }

    std::int64_t add_rows(std::int64_t first, std::int64_t range_end) {
        const offset_t* const ptrs = row_ptrs_.data() + first;
        constexpr std::int64_t kAhead = 8 * Csr16::kMaxRows;  // else a block of few nonzeros waits for its last row
        const std::int64_t most = std::min<std::int64_t>(Csr16::kMaxRows, range_end - first);
        __builtin_prefetch(ptrs + std::min(kAhead, range_end - first));
        const offset_t* const behind = ptrs[most] - *ptrs <= limits_.block_nonzeros
                                           ? ptrs + most + 1
                                           : std::upper_bound(ptrs, ptrs + most, *ptrs + limits_.block_nonzeros);
        const std::int64_t rows = behind - ptrs - 1;
        add_block(first, rows, *ptrs, ptrs[rows] - *ptrs);
        return first + rows;
    }

    void add_long_row(std::int64_t row, offset_t length) {
        b_.in_long_rows += length;
        const offset_t pieces = length <= limits_.whole_row ? 1 : div_up(length, limits_.piece_nonzeros);
        const SplitRow split{b_.partials, static_cast<std::uint32_t>(pieces)};
        for (offset_t i = 0; i < pieces; ++i) {
            const offset_t from = length * i / pieces;
            add_block(row, 1, begin_of(row) + from, length * (i + 1) / pieces - from);
            b_.blocks.back().is_piece = true;
            if (pieces == 1) return;
            b_.blocks.back().partial = static_cast<std::int32_t>(b_.partials++);
            b_.blocks.back().split = static_cast<std::int32_t>(b_.splits.size());
        }
        b_.splits.push_back(split);
    }

    void add_block(std::int64_t first_row, std::int64_t rows, offset_t first, offset_t nonzeros) {
        Csr16Block block;
        block.first_nonzero = b_.nonzeros;
        block.first_end = ends_;
        block.first_row = static_cast<std::uint32_t>(first_row);
        block.nonzeros = static_cast<std::uint16_t>(nonzeros);
        block.rows = static_cast<std::uint16_t>(rows);
        block.threads_log2 = static_cast<std::uint8_t>(csr16_threads_log2(rows, nonzeros, limits_.nonzeros_per_thread));
        b_.blocks.push_back(block);
        b_.sources.push_back(first);
        b_.nonzeros += nonzeros;
        ends_ += static_cast<std::uint32_t>(rows);
    }

    /// Ends of the block's rows.
    void find_ends(std::int64_t i) {
        const Csr16Block& block = b_.blocks[static_cast<std::size_t>(i)];
        const offset_t from = b_.sources[static_cast<std::size_t>(i)];
        const offset_t nonzeros = block.nonzeros;
        const int rows = block.rows;
        const offset_t* row_ends = row_ptrs_.data() + block.first_row + 1;
        std::uint16_t* ends = b_.ends.data() + block.first_end;
        for (int r = 0; r < rows; ++r) ends[r] = static_cast<std::uint16_t>(std::min(row_ends[r] - from, nonzeros));
    }

    std::span<const offset_t> row_ptrs_;
    std::span<const RowRange> rows_;
    Csr16Limits limits_;
    Csr16 b_;
    std::uint32_t ends_ = 0;
};

void encode(const Csr16Block& block, const index_t* cols, std::uint16_t* codes) {
    if (block.wide) {
        std::copy_n(cols, block.nonzeros, reinterpret_cast<index_t*>(codes));
        return;
    }
    const int nonzeros = block.nonzeros;
    const std::uint32_t base = block.base_column;
    for (int k = 0; k < nonzeros; ++k)
        codes[k] = static_cast<std::uint16_t>(static_cast<std::uint32_t>(cols[k]) - base);
    if (nonzeros % 2 != 0) codes[nonzeros] = 0;
}

}  // namespace

Csr16 cut_csr16(std::span<const offset_t> row_ptrs, std::span<const RowRange> rows, const Csr16Limits& limits) {
    return Csr16Cutter(row_ptrs, rows, limits).run();
}

template <Value V>
Csr16 make_csr16(const CsrMatrix<V>& a, std::span<const RowRange> rows, const Csr16Limits& limits) {
    Csr16 b = cut_csr16({a.row_ptrs.data(), a.row_ptrs.size()}, rows, limits);
    const auto blocks = std::ssize(b.blocks);
    const auto columns_of = [&](std::int64_t i) {
        const auto block = static_cast<std::size_t>(i);
        return std::span(a.col_idxs.data() + b.sources[block], b.blocks[block].nonzeros);
    };
    std::vector<std::int64_t> sizes(b.blocks.size());
    parallel_for(0, blocks, kFewBlocks, [&](std::int64_t i) {
        const auto columns = columns_of(i);
        const auto [lowest, highest] = columns.empty() ? std::pair(0, 0) : column_range(columns);
        sizes[static_cast<std::size_t>(i)] = set_columns(b.blocks[static_cast<std::size_t>(i)], lowest, highest);
    });
    std::int64_t all = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        b.blocks[i].first_code = all;
        all += sizes[i];
    }
    b.codes = Buffer<std::uint16_t>(static_cast<std::size_t>(all));
    parallel_for(0, blocks, kFewBlocks, [&](std::int64_t i) {
        const Csr16Block& block = b.blocks[static_cast<std::size_t>(i)];
        encode(block, columns_of(i).data(), b.codes.data() + block.first_code);
    });
    return b;
}

Csr16Limits csr16_limits(offset_t nonzeros, const Gpu& gpu) {
    const auto [block, piece, whole_row] = row_block_limits(nonzeros, Csr16::kThreads, Csr16::kMaxNonzeros, gpu);
    return {block, piece, whole_row, gpu.tuning.row_blocks.nonzeros_per_thread};
}

#define TILESPMV_INSTANTIATE(V) \
    template Csr16 make_csr16(const CsrMatrix<V>&, std::span<const RowRange>, const Csr16Limits&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
