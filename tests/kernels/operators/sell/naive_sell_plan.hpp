#pragma once

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "kernels/operators/sell/sell.hpp"

namespace tilespmv::testing {

/// The `SellPlan` of a matrix, row after row: what the one that is made on a GPU must be.
inline cuda::SellPlan naive_sell_plan(std::span<const offset_t> row_ptrs, const cuda::SliceLimits& limits) {
    const cuda::SliceKinds kinds{limits.most_steps, limits.block_warps};
    cuda::SellPlan plan;
    std::vector<cuda::LongRow> long_rows;
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> empty((row_ptrs.size() - 1 + 31) / 32);
    const auto kind_of = [&](std::size_t row) { return kinds.of(row_ptrs[row + 1] - row_ptrs[row]); };
    bool has_empty = false;
    for (std::size_t row = 0; row + 1 < row_ptrs.size(); ++row) {
        const int kind = kind_of(row);
        if (kind == kinds.empty()) {
            empty[row / 32] |= 1U << row % 32;
            has_empty = true;
        } else if (kind == kinds.cut()) {
            const auto length = row_ptrs[row + 1] - row_ptrs[row];
            long_rows.push_back({static_cast<offset_t>(row), {row_ptrs[row], length}});
        } else {
            rows.push_back(static_cast<std::uint32_t>(row));
        }
    }
    if (has_empty) plan.empty = Buffer<std::uint32_t>(std::span<const std::uint32_t>(empty));
    std::ranges::stable_sort(rows, {}, kind_of);
    auto all_rows = cut_long_rows(long_rows, limits, plan);
    const std::size_t pieces = plan.pieces();
    all_rows.insert(all_rows.end(), rows.begin(), rows.end());
    plan.rows = Buffer<std::uint32_t>(std::span<const std::uint32_t>(all_rows));
    std::vector<cuda::SellSlice> slices;
    for (std::size_t i = 0; i < rows.size(); i += slices.back().rows) {
        const int kind = kind_of(rows[i]);
        const std::size_t most = std::size_t{cuda::kSliceLanes} >> kinds.lanes_log2(kind);
        std::size_t end = i + 1;
        while (end < rows.size() && end < i + most && kind_of(rows[end]) == kind) ++end;
        slices.push_back({0, static_cast<std::uint32_t>(pieces + i), static_cast<std::uint16_t>(kinds.steps(kind)),
                          static_cast<std::uint8_t>(kinds.lanes_log2(kind)), static_cast<std::uint8_t>(end - i)});
    }
    std::ranges::sort(slices, {}, [&](const cuda::SellSlice& slice) {
        return std::tuple(-div_up(slice.steps, limits.flight), plan.rows[slice.first_row]);
    });
    for (cuda::SellSlice& slice : slices) {
        slice.first_step = plan.steps;
        plan.steps += slice.steps;
        plan.slices.push_back(slice);
    }
    const std::size_t padding = padding_slices(plan.slices.size(), pieces, limits);
    plan.slices.resize(plan.slices.size() + padding, {plan.steps});
    return plan;
}

}  // namespace tilespmv::testing
