#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "selector/auto/sample.hpp"

namespace tilespmv {
namespace {

/// Counts the sectors of x that nonzeros meet; exact up to kMostSectors of them.
class SectorCount {
public:
    static constexpr std::size_t kSectorBytes = 32;  ///< what a GPU reads of x at least
    /// Sectors that are told apart; more share places, which few notice.
    static constexpr index_t kMostSectors = 1 << 22;

    explicit SectorCount(const MatrixFeatures& a)
        : log_size_(std::countr_zero(kSectorBytes / a.value_bytes)),
          is_exact_(a.cols >> log_size_ < kMostSectors),
          met_(static_cast<std::size_t>(std::min((a.cols >> log_size_) + 1, kMostSectors))) {}
    /// Distinct ones of these columns.
    offset_t of(std::span<const index_t> columns) {
        if (++call_ == 0) {
            std::ranges::fill(met_, std::uint8_t{0});
            call_ = 1;
        }
        if (is_exact_) return count(columns, [&](index_t column) { return sector_of(column); });
        return count(columns, [&](index_t column) {
            const std::size_t sector = sector_of(column);
            return sector < met_.size() ? sector : mixed(sector) % met_.size();
        });
    }

private:
    template <class At>
    offset_t count(std::span<const index_t> columns, At&& at) {
        const std::uint8_t call = call_;
        std::uint8_t* const met = met_.data();
        offset_t count = 0;
        for (const index_t column : columns) count += std::exchange(met[at(column)], call) != call;
        return count;
    }
    [[nodiscard]] std::size_t sector_of(index_t column) const { return static_cast<std::size_t>(column >> log_size_); }

    int log_size_;                   // of a sector in elements of x
    bool is_exact_;                  // each sector has a place of its own
    std::vector<std::uint8_t> met_;  // the last call that did; bytes, as bits of a word would wait for each other
    std::uint8_t call_ = 0;
};

}  // namespace

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
