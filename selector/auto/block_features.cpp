#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "selector/auto/sample.hpp"

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

SectorsOfX sectors_of_x(const MatrixFeatures& f) {
    constexpr std::size_t kSectorBytes = 32;
    constexpr index_t kMostSectors = 1 << 22;
    const int log_size = std::countr_zero(kSectorBytes / f.value_bytes);
    return {log_size, static_cast<std::uint32_t>(std::min((f.cols >> log_size) + 1, kMostSectors))};
}

std::vector<std::uint32_t> count_sectors(std::span<const ColumnSpan> blocks, const SectorsOfX& sectors) {
    std::vector<std::uint8_t> met(sectors.count);  // by which block last; bytes, as bits of a word would wait
    std::vector<std::uint32_t> counts;
    std::uint8_t block = 0;
    static_assert(kMostSamples <= std::numeric_limits<std::uint8_t>::max());
    for (const ColumnSpan columns : blocks) {
        ++block;
        std::uint32_t count = 0;
        for (const index_t column : columns) count += std::exchange(met[sectors.of(column)], block) != block;
        counts.push_back(count);
    }
    return counts;
}

}  // namespace tilespmv
