#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "tile/csr.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {

/// The indices i in [0, size) for which `keep(i)` holds, in order; in parallel.
template <class Keep>
Buffer<std::uint32_t> indices_where(std::int64_t size, Keep&& keep) {
    constexpr std::int64_t grain = 1 << 16;
    std::vector<std::int64_t> ends(static_cast<std::size_t>(div_up(size, grain)) + 1, 0);
    parallel_ranges(0, size, grain, [&](std::int64_t first, std::int64_t end) {
        std::int64_t count = 0;
        for (std::int64_t i = first; i < end; ++i) count += keep(i) ? 1 : 0;
        ends[static_cast<std::size_t>(first / grain) + 1] = count;
    });
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    Buffer<std::uint32_t> kept(static_cast<std::size_t>(ends.back()));
    parallel_ranges(0, size, grain, [&](std::int64_t first, std::int64_t end) {
        auto at = static_cast<std::size_t>(ends[static_cast<std::size_t>(first / grain)]);
        for (std::int64_t i = first; i < end; ++i) {
            if (keep(i)) kept[at++] = static_cast<std::uint32_t>(i);
        }
    });
    return kept;
}

}  // namespace tilespmv::cuda
