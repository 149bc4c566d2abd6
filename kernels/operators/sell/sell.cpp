#include "kernels/operators/sell/sell.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

offset_t pieces_of(const LongRow& row, const SliceLimits& limits) {
    return sell_lanes(row.nonzeros.count, limits.most_steps, limits.block_warps) / kSliceLanes;
}

void cut(const LongRow& row, const SliceLimits& limits, SellPlan& plan, std::vector<std::uint32_t>& piece_rows) {
    const offset_t pieces = pieces_of(row, limits);
    if (static_cast<offset_t>(plan.pieces()) + pieces > std::numeric_limits<std::int32_t>::max()) {
        throw Error("sell: long rows make 2^31 pieces or more; give more steps");
    }
    const auto split = static_cast<std::uint32_t>(plan.splits.size());
    plan.splits.push_back({static_cast<std::uint32_t>(plan.pieces()), static_cast<std::uint32_t>(pieces)});
    for (offset_t i = 0; i < pieces; ++i) {
        const offset_t steps = div_up(piece_of(row.nonzeros, i, pieces).count, offset_t{kSliceLanes});
        plan.slices.push_back(
            {plan.steps, static_cast<std::uint32_t>(plan.pieces()), static_cast<std::uint16_t>(steps),
             static_cast<std::uint8_t>(SliceKinds::kWidths - 1),
             static_cast<std::uint8_t>(std::min<offset_t>(pieces, std::numeric_limits<std::uint8_t>::max()))});
        plan.steps += static_cast<std::uint64_t>(steps);
        plan.split_of.push_back(split);
        piece_rows.push_back(static_cast<std::uint32_t>(row.row));
    }
}

}  // namespace

std::vector<std::uint32_t> cut_long_rows(std::vector<LongRow> rows, const SliceLimits& limits, SellPlan& plan) {
    std::ranges::stable_sort(rows, std::ranges::greater{}, [&](const LongRow& row) { return pieces_of(row, limits); });
    std::vector<std::uint32_t> piece_rows;
    for (const LongRow& row : rows) cut(row, limits, plan, piece_rows);
    return piece_rows;
}

std::size_t padding_slices(std::size_t slices, std::size_t pieces, const SliceLimits& limits) {
    const auto warps = static_cast<std::size_t>(limits.block_warps);
    const std::size_t least = (pieces + warps - 1) / warps * warps;
    return std::max(slices, least) - slices;
}

}  // namespace tilespmv::cuda
