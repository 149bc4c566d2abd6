#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <vector>

#include "tile/types.hpp"

namespace tilespmv::cuda {

/// Where consecutive pieces of about the same work begin, `pieces` + 1 of them: `count` things, `before(i)` the work of
/// those in front of the i-th, ascending, before(count) that of all.
template <class Before>
std::vector<index_t> even_pieces(index_t count, int pieces, Before&& before) {
    std::vector<index_t> starts;
    const auto all = static_cast<double>(before(count));
    for (int i = 0; i < pieces; ++i) {
        const double wanted = all * i / pieces;
        const auto in_order = std::views::iota(index_t{0}, count);
        const auto at =
            std::ranges::partition_point(in_order, [&](index_t k) { return static_cast<double>(before(k)) < wanted; });
        starts.push_back(static_cast<index_t>(at - in_order.begin()));
    }
    starts.push_back(count);
    return starts;
}

}  // namespace tilespmv::cuda
