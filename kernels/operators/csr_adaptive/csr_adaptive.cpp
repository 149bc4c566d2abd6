#include "kernels/operators/csr_adaptive/csr_adaptive.hpp"

#include <algorithm>

namespace tilespmv::cuda {
namespace {

class AdaptiveCutter {
public:
    AdaptiveCutter(std::span<const offset_t> row_ptrs, const AdaptiveLimits& limits)
        : row_ptrs_(row_ptrs), rows_(row_ptrs.size() - 1), limits_(limits) {}

    AdaptivePlan run() {
        for (std::size_t row = 0; row < rows_;) {
            if (row_ptrs_[row + 1] - row_ptrs_[row] > limits_.block_nonzeros) {
                add_long_row(row);
                ++row;
            } else {
                row = add_rows(row);
            }
        }
        return std::move(plan_);
    }

private:
    /// As many rows from `first` on as fit; returns the next one.
    std::size_t add_rows(std::size_t first) {
        const std::size_t limit = std::min(first + static_cast<std::size_t>(limits_.max_rows()), rows_);
        std::size_t end = first + 1;
        while (end < limit && row_ptrs_[end + 1] - row_ptrs_[first] <= limits_.block_nonzeros) ++end;
        add_block(first, end - first, row_ptrs_[first], row_ptrs_[end]);
        return end;
    }

    void add_long_row(std::size_t row) {
        const offset_t begin = row_ptrs_[row];
        const offset_t length = row_ptrs_[row + 1] - begin;
        plan_.in_long_rows += length;
        const offset_t pieces = length <= limits_.whole_row ? 1 : div_up(length, limits_.piece_nonzeros);
        if (pieces == 1) return add_block(row, 1, begin, begin + length);
        const auto split = static_cast<std::int32_t>(plan_.splits.size());
        plan_.splits.push_back({plan_.partials, static_cast<std::uint32_t>(pieces)});
        for (offset_t i = 0; i < pieces; ++i) {
            add_block(row, 1, begin + length * i / pieces, begin + length * (i + 1) / pieces);
            plan_.blocks.back().partial = static_cast<std::int32_t>(plan_.partials++);
            plan_.blocks.back().split = split;
        }
    }

    void add_block(std::size_t first_row, std::size_t rows, offset_t first, offset_t end) {
        AdaptiveBlock block;
        block.first_nonzero = first;
        block.first_row = static_cast<std::uint32_t>(first_row);
        block.nonzeros = static_cast<std::int32_t>(end - first);
        block.rows = static_cast<std::uint16_t>(rows);
        block.threads_log2 =
            static_cast<std::uint16_t>(adaptive_threads_log2(static_cast<unsigned>(rows), limits_.threads));
        plan_.blocks.push_back(block);
    }

    std::span<const offset_t> row_ptrs_;
    std::size_t rows_;
    AdaptiveLimits limits_;
    AdaptivePlan plan_;
};

}  // namespace

AdaptiveLimits adaptive_limits(offset_t nonzeros, int threads, const Gpu& gpu) {
    const auto [block, piece, whole_row] = row_block_limits(nonzeros, threads, AdaptiveLimits::kEach * threads, gpu);
    return {threads, block, piece, whole_row};
}

AdaptivePlan make_adaptive_plan(std::span<const offset_t> row_ptrs, const AdaptiveLimits& limits) {
    return AdaptiveCutter(row_ptrs, limits).run();
}

}  // namespace tilespmv::cuda
