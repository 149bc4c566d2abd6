#include <algorithm>

#include "selector/auto/sample.hpp"
#include "selector/auto/sector_count.hpp"

namespace tilespmv {

ElementRanges sampled_blocks(const MatrixFeatures& f) {
    const offset_t all = div_up(f.nnz, kBlock);
    const offset_t samples = std::min(sampled_nonzeros(f.nnz) / kBlock, all);
    ElementRanges blocks;
    for (offset_t i = 0; i < samples; ++i) {
        const offset_t from = spread(i, samples, all) * kBlock;
        blocks.push_back({from, std::min(kBlock, f.nnz - from)});
    }
    return blocks;
}

void add_sectors(std::span<const ColumnSpan> blocks, MatrixFeatures& f) {
    SectorCount count(f);
    std::size_t all = 0;
    offset_t sectors = 0;
    for (const ColumnSpan block : blocks) {
        all += block.size();
        sectors += count.of(block);
    }
    f.x_sectors = static_cast<double>(sectors) / static_cast<double>(all);
}

}  // namespace tilespmv
