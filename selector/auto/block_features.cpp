#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "selector/auto/sample.hpp"

namespace tilespmv {

CountedSample counted_sample(const MatrixFeatures& f) {
    constexpr std::size_t kSectorBytes = 32;
    constexpr index_t kMostSectors = 1 << 22;
    CountedSample sample{.rows = f.rows, .nnz = f.nnz};
    sample.blocks = std::min(sampled_nonzeros(f.nnz) / kBlock, div_up(f.nnz, kBlock));
    sample.lengths = std::min<offset_t>(f.rows, kRowLengths);
    sample.log_sector = std::countr_zero(kSectorBytes / f.value_bytes);
    sample.sectors = static_cast<std::uint32_t>(std::min((f.cols >> sample.log_sector) + 1, kMostSectors));
    return sample;
}

SampleCounts count(const CountedSample& sample, RowPtrSpan row_ptrs, ColumnSpan col_idxs) {
    SampleCounts counts{};
    std::vector<std::uint8_t> met(sample.sectors);  // by which block last; bytes, as bits of a word would wait
    static_assert(kMostSamples <= std::numeric_limits<std::uint8_t>::max());
    for (offset_t i = 0; i < sample.blocks; ++i) {
        const auto [first, size] = sample.block(i);
        const auto block = static_cast<std::uint8_t>(i + 1);
        std::uint32_t count = 0;
        for (const index_t column : col_idxs.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size)))
            count += std::exchange(met[sample.sector(column)], block) != block;
        counts.sectors[static_cast<std::size_t>(i)] = count;
    }
    for (offset_t i = 0; i < sample.lengths; ++i) {
        const auto row = static_cast<std::size_t>(sample.row(i));
        counts.lengths[static_cast<std::size_t>(i)] = row_ptrs[row + 1] - row_ptrs[row];
    }
    return counts;
}

}  // namespace tilespmv
