#include <algorithm>
#include <cstdint>
#include <vector>

#include "selector/auto/sample.hpp"
#include "selector/auto/sector_count.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
ColumnRanges sampled_blocks(const PatternView& a) {
    const offset_t all = div_up(a.nnz(), kBlock);
    const offset_t samples = std::min(sampled_nonzeros(a.nnz()) / kBlock, all);
    ColumnRanges blocks;
    blocks.reserve(static_cast<std::size_t>(samples));
    for (offset_t i = 0; i < samples; ++i) {
        const offset_t from = spread(i, samples, all) * kBlock;
        const offset_t size = std::min(kBlock, a.nnz() - from);
        blocks.push_back(a.col_idxs.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(size)));
    }
    return blocks;
}

void add_sectors(const PatternView& a, const ColumnRanges& blocks, MatrixFeatures& f) {
    std::vector<offset_t> sectors(blocks.size());
    // Fewer are not worth waking threads.
    parallel_ranges(0, std::ssize(blocks), 64, [&](std::int64_t first, std::int64_t end) {
        SectorCount count(a);
        for (std::int64_t i = first; i < end; ++i)
            sectors[static_cast<std::size_t>(i)] = count.of(blocks[static_cast<std::size_t>(i)]);
    });
    std::size_t all = 0;
    offset_t all_sectors = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        all += blocks[i].size();
        all_sectors += sectors[i];
    }
    f.x_sectors = static_cast<double>(all_sectors) / static_cast<double>(all);
}

}  // namespace tilespmv
