#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "selector/auto/sample.hpp"
#include "selector/auto/sector_count.hpp"
#include "tile/column_range.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kPieces = 264;             ///< of the matrix: blocks of csr-vector:turns=1
constexpr offset_t kPieceSamples = 4;         ///< pieces that are looked at, ...
constexpr offset_t kMostOfPiece = 1 << 16;    ///< ... and nonzeros of each
constexpr offset_t kFewNonzeros = 1 << 15;    ///< fewer are not worth waking threads
constexpr offset_t kNarrowColumns = 1 << 16;  ///< of csr16
constexpr std::size_t kHubBytes = 192 << 10;  ///< of x: what a first-level cache has room for
constexpr index_t kMostCounters = 1 << 20;    ///< of columns; more columns share them

/// How often columns occur. Where there are more columns than counters some share one, so that a count is at least the
/// true one.
class ColumnCounts {
public:
    explicit ColumnCounts(index_t cols)
        : is_exact_(cols <= kMostCounters), counts_(static_cast<std::size_t>(std::min(cols, kMostCounters))) {}
    void add(std::span<const index_t> columns) {
        std::uint16_t most = most_;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            auto& counter = counts_[at(columns[i])];
            if (counter == kMost) continue;
            const std::uint16_t count = ++counter;
            ++reached_[i % kApart][count];
            most = std::max(most, count);
        }
        most_ = most;
    }
    [[nodiscard]] std::size_t of(index_t column) const { return counts_[at(column)]; }
    /// Of the most frequent one.
    [[nodiscard]] std::size_t most() const { return most_; }
    /// Columns, or counters, with this count.
    [[nodiscard]] offset_t columns_with(std::size_t count) const { return reached(count) - reached(count + 1); }

private:
    static constexpr std::uint16_t kMost = 4095;
    /// Neighbours, whose counts are often the same, have tables of their own, for one would wait for the other.
    static constexpr std::size_t kApart = 4;
    static_assert(kMostSamples * kBlock / offset_t{kApart} <= std::numeric_limits<std::uint16_t>::max());

    /// Those that have, or have had, this count.
    [[nodiscard]] offset_t reached(std::size_t count) const {
        offset_t columns = 0;
        for (const auto& of : reached_) columns += of[count];
        return columns;
    }
    [[nodiscard]] std::size_t at(index_t column) const {
        const auto wide = static_cast<std::uint64_t>(column);
        return static_cast<std::size_t>(is_exact_ ? wide : mixed(wide) % kMostCounters);
    }
    bool is_exact_;
    std::vector<std::uint16_t> counts_;
    std::array<std::array<std::uint16_t, kMost + std::size_t{2}>, kApart> reached_{};
    std::uint16_t most_ = 0;
};

double hub_share(const ColumnRanges& blocks, const PatternView& a) {
    auto hubs = static_cast<offset_t>(kHubBytes / a.value_bytes);
    if (a.cols <= hubs) return 1;
    ColumnCounts counts(a.cols);
    for (std::size_t i = 0; i < blocks.size(); i += 2) counts.add(blocks[i]);
    // Of each count, the share of its columns that is among the hubs.
    std::vector<double> is_hub(counts.most() + 1);
    for (std::size_t count = counts.most(); count > 0 && hubs > 0; --count) {
        const offset_t columns = counts.columns_with(count);
        if (columns == 0) continue;
        const offset_t taken = std::min(hubs, columns);
        is_hub[count] = static_cast<double>(taken) / static_cast<double>(columns);
        hubs -= taken;
    }
    double in_hubs = 0;
    std::size_t counted = 0;
    for (std::size_t i = 1; i < blocks.size(); i += 2) {
        for (const index_t column : blocks[i]) in_hubs += is_hub[counts.of(column)];
        counted += blocks[i].size();
    }
    return counted == 0 ? 0 : in_hubs / static_cast<double>(counted);
}

bool is_narrow(std::span<const index_t> columns) {
    const auto [least, most] = column_range(columns);
    return most - least < kNarrowColumns;
}

offset_t piece_size(const PatternView& a) { return std::min(a.nnz() / kPieces, kMostOfPiece); }
/// The beginning of a piece of the sample.
std::span<const index_t> piece(const PatternView& a, offset_t i, offset_t size) {
    const offset_t first = spread(i, kPieceSamples, kPieces) * (a.nnz() / kPieces);
    return a.col_idxs.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
}

}  // namespace

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
    std::size_t narrow = 0;
    offset_t all_sectors = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        all += blocks[i].size();
        narrow += a.cols <= kNarrowColumns || is_narrow(blocks[i]) ? blocks[i].size() : 0;
        all_sectors += sectors[i];
    }
    f.narrow_share = static_cast<double>(narrow) / static_cast<double>(all);
    f.x_sectors = static_cast<double>(all_sectors) / static_cast<double>(all);
}

void add_hubs(const PatternView& a, const ColumnRanges& blocks, MatrixFeatures& f) {
    f.hub_share = hub_share(blocks, a);
}

void list_pieces(const PatternView& a, ColumnRanges& columns) {
    const offset_t size = piece_size(a);
    if (size <= kBlock) return;
    for (offset_t i = 0; i < kPieceSamples; ++i) columns.push_back(piece(a, i, size));
}

void add_pieces(const PatternView& a, MatrixFeatures& f) {
    f.piece_sectors = f.x_sectors;
    const offset_t size = piece_size(a);
    if (size <= kBlock) return;
    std::array<offset_t, kPieceSamples> sectors{};
    const std::int64_t grain = size * kPieceSamples < kFewNonzeros ? kPieceSamples : 1;
    parallel_for(0, kPieceSamples, grain,
                 [&](std::int64_t i) { sectors[static_cast<std::size_t>(i)] = SectorCount(a).of(piece(a, i, size)); });
    offset_t all = 0;
    for (const offset_t count : sectors) all += count;
    f.piece_sectors = static_cast<double>(all) / static_cast<double>(kPieceSamples * size);
}

}  // namespace tilespmv
