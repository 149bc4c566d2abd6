#include "kernels/operators/sell/sell.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

void cut(const LongRow& row, offset_t pieces, SellPlan& plan, std::vector<std::uint32_t>& piece_rows) {
    const auto split = static_cast<std::uint32_t>(plan.splits.size());
    plan.splits.push_back({static_cast<std::uint32_t>(plan.pieces()), static_cast<std::uint32_t>(pieces)});
    const auto rows = static_cast<std::uint8_t>(std::min<offset_t>(pieces, std::numeric_limits<std::uint8_t>::max()));
    offset_t first = 0;
    for (offset_t i = 1; i <= pieces; ++i) {
        const offset_t end = row.nonzeros.count * i / pieces;  // as `piece_of` has it
        const auto steps = static_cast<std::uint16_t>(div_up(end - first, offset_t{kSliceLanes}));
        first = end;
        plan.slices.push_back({plan.steps, static_cast<std::uint32_t>(plan.pieces()), steps,
                               static_cast<std::uint8_t>(SliceKinds::kWidths - 1), rows});
        plan.steps += steps;
        plan.split_of.push_back(split);
        piece_rows.push_back(static_cast<std::uint32_t>(row.row));
    }
}

}  // namespace

std::vector<std::uint32_t> cut_long_rows(std::span<const LongRow> rows, const SliceLimits& limits, SellPlan& plan) {
    std::vector<std::pair<offset_t, const LongRow*>> by_pieces;
    by_pieces.reserve(rows.size());
    offset_t all = 0;
    for (const LongRow& row : rows) {
        const offset_t pieces = sell_lanes(row.nonzeros.count, limits.most_steps, limits.block_warps) / kSliceLanes;
        by_pieces.emplace_back(pieces, &row);
        all += pieces;
    }
    if (all > std::numeric_limits<std::int32_t>::max())
        throw Error("sell: long rows make 2^31 pieces or more; give more steps");
    std::ranges::stable_sort(by_pieces, std::ranges::greater{}, &std::pair<offset_t, const LongRow*>::first);
    std::vector<std::uint32_t> piece_rows;
    const auto size = static_cast<std::size_t>(all);
    piece_rows.reserve(size);
    plan.split_of.reserve(size);
    plan.slices.reserve(size);
    plan.splits.reserve(rows.size());
    for (const auto& [pieces, row] : by_pieces) cut(*row, pieces, plan, piece_rows);
    return piece_rows;
}

std::size_t padding_slices(std::size_t slices, std::size_t pieces, const SliceLimits& limits) {
    const auto warps = static_cast<std::size_t>(limits.block_warps);
    const std::size_t least = (pieces + warps - 1) / warps * warps;
    return std::max(slices, least) - slices;
}

}  // namespace tilespmv::cuda
