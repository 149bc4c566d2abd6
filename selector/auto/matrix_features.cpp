#include "selector/auto/matrix_features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "selector/auto/sample.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kPieces = 264;             ///< of the matrix: blocks of csr-vector:turns=1
constexpr offset_t kPieceSamples = 4;         ///< pieces that are looked at, ...
constexpr offset_t kMostOfPiece = 1 << 16;    ///< ... and nonzeros of each
constexpr offset_t kFewNonzeros = 1 << 15;    ///< fewer are not worth waking threads
constexpr offset_t kFullTileRows = 64;        ///< that are looked at for full tiles, ...
constexpr offset_t kFullTiles = 16;           ///< ... and tiles of each
constexpr offset_t kRowLengths = 1 << 11;     ///< rows whose lengths tell the width of HYB
constexpr offset_t kNarrowColumns = 1 << 16;  ///< of csr16
constexpr std::size_t kSectorBytes = 32;      ///< what a GPU reads of x at least
constexpr std::size_t kHubBytes = 192 << 10;  ///< of x: what a first-level cache has room for
constexpr index_t kMostCounters = 1 << 20;    ///< of columns; more columns share them
constexpr index_t kMostSectors = 1 << 22;     ///< of x that are told apart; more share places, which few notice

/// Nonzeros of a tile row that by the lengths of its rows can be nothing but full tiles, else 0.
offset_t full_by_lengths(const PatternView& a, std::int64_t first_row) {
    if (a.rows - first_row < kTileSize) return 0;
    const auto ptrs = a.row_ptrs.subspan(static_cast<std::size_t>(first_row), kTileSize + 1);
    const offset_t length = ptrs[1] - ptrs[0];
    if (length % kTileSize != 0) return 0;
    for (std::size_t r = 1; r < kTileSize; ++r) {
        if (ptrs[r + 1] - ptrs[r] != length) return 0;
    }
    return kTileSize * length;
}

/// Nonzeros of all tile rows that are full by the lengths of their rows.
offset_t full_by_lengths(const PatternView& a) {
    constexpr std::int64_t grain = 1 << 14;  // tile rows
    const auto tile_rows = std::int64_t{a.rows} / kTileSize;
    std::vector<offset_t> ranges(static_cast<std::size_t>(div_up(tile_rows, grain)));
    parallel_ranges(0, tile_rows, grain, [&](std::int64_t first, std::int64_t end) {
        offset_t full = 0;
        for (std::int64_t tile_row = first; tile_row < end; ++tile_row)
            full += full_by_lengths(a, tile_row * kTileSize);
        ranges[static_cast<std::size_t>(first / grain)] = full;
    });
    return std::accumulate(ranges.begin(), ranges.end(), offset_t{0});
}

void add_row_lengths(const PatternView& a, MatrixFeatures& f) {
    const cuda::RowStatistics of_rows = cuda::row_statistics(a.row_ptrs);
    const auto rows = static_cast<double>(std::max<index_t>(a.rows, 1));
    f.mean_row = static_cast<double>(f.nnz) / rows;
    f.row_deviation = std::sqrt(std::max(of_rows.squares / rows - f.mean_row * f.mean_row, 0.0));
    f.longest_row = of_rows.longest;
    f.empty_rows = static_cast<double>(of_rows.empty) / rows;
    f.full_tile_share = f.nnz == 0 ? 0 : static_cast<double>(full_by_lengths(a)) / static_cast<double>(f.nnz);
    f.row_rounds = of_rows.rounds;
}

/// Whether a tile row that is full by the lengths of its rows is so in some tiles: by the first and the last column of
/// each row in them, since columns ascend.
bool is_full(const PatternView& a, offset_t first_row) {
    const auto ptrs = a.row_ptrs.subspan(static_cast<std::size_t>(first_row), kTileSize);
    const offset_t tiles = (a.row_ptrs[static_cast<std::size_t>(first_row) + 1] - ptrs[0]) / kTileSize;
    const offset_t looked_at = std::min(tiles, kFullTiles);
    for (offset_t i = 0; i < looked_at; ++i) {
        const offset_t at = spread(i, looked_at, tiles) * kTileSize;
        const index_t column = a.col_idxs[static_cast<std::size_t>(ptrs[0] + at)];
        if (column % kTileSize != 0) return false;
        for (const offset_t begin : ptrs) {
            const auto of_row = a.col_idxs.subspan(static_cast<std::size_t>(begin + at), kTileSize);
            if (of_row.front() != column || of_row.back() != column + kTileSize - 1) return false;
        }
    }
    return true;
}

/// Corrects the share by lengths by that of tile rows of the sample whose tiles are full.
void add_full_tiles(const PatternView& a, MatrixFeatures& f) {
    if (f.full_tile_share == 0) return;
    const offset_t tile_rows = div_up(offset_t{a.rows}, offset_t{kTileSize});
    const offset_t samples = std::min(kFullTileRows, tile_rows);
    offset_t by_lengths = 0;
    offset_t full = 0;
    for (offset_t i = 0; i < samples; ++i) {
        const offset_t first_row = spread(i, samples, tile_rows) * kTileSize;
        const offset_t nonzeros = full_by_lengths(a, first_row);
        by_lengths += nonzeros;
        full += nonzeros > 0 && is_full(a, first_row) ? nonzeros : 0;
    }
    f.full_tile_share *= by_lengths == 0 ? 0 : static_cast<double>(full) / static_cast<double>(by_lengths);
}

/// Counts the sectors of x that nonzeros meet; exact up to kMostSectors of them.
class SectorCount {
public:
    explicit SectorCount(const PatternView& a)
        : log_size_(std::countr_zero(kSectorBytes / a.value_bytes)),
          is_exact_(a.cols >> log_size_ < kMostSectors),
          met_(static_cast<std::size_t>(std::min((a.cols >> log_size_) + 1, kMostSectors))) {}
    /// Distinct ones of these columns.
    offset_t of(std::span<const index_t> columns) {
        if (is_exact_) return count(columns, [&](index_t column) { return sector_of(column); });
        return count(columns, [&](index_t column) {
            const std::size_t sector = sector_of(column);
            return sector < met_.size() ? sector : mixed(sector) % met_.size();
        });
    }

private:
    template <class At>
    offset_t count(std::span<const index_t> columns, At&& at) {
        if (++call_ == 0) {
            std::ranges::fill(met_, std::uint8_t{0});
            call_ = 1;
        }
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

using Blocks = std::vector<std::span<const index_t>>;

double hub_share(const Blocks& blocks, const PatternView& a) {
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
    index_t least = columns.front();
    index_t most = least;
    for (const index_t column : columns) {  // without branches, unlike std::ranges::minmax
        least = std::min(least, column);
        most = std::max(most, column);
    }
    return most - least < kNarrowColumns;
}

void add_blocks(const PatternView& a, MatrixFeatures& f) {
    const offset_t samples = std::min(sampled_nonzeros(f.nnz) / kBlock, div_up(f.nnz, kBlock));
    Blocks blocks(static_cast<std::size_t>(samples));
    std::vector<offset_t> sectors(blocks.size());
    parallel_ranges(0, samples, 64, [&](std::int64_t first, std::int64_t end) {  // fewer are not worth waking threads
        SectorCount count(a);
        for (std::int64_t i = first; i < end; ++i) {
            const auto from = spread(i, samples, div_up(f.nnz, kBlock)) * kBlock;
            const auto size = std::min(kBlock, f.nnz - from);
            const auto block = a.col_idxs.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(size));
            blocks[static_cast<std::size_t>(i)] = block;
            sectors[static_cast<std::size_t>(i)] = count.of(block);
        }
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
    f.hub_share = hub_share(blocks, a);
}

void add_pieces(const PatternView& a, MatrixFeatures& f) {
    f.piece_sectors = f.x_sectors;
    const offset_t size = std::min(f.nnz / kPieces, kMostOfPiece);
    if (size <= kBlock) return;
    std::array<offset_t, kPieceSamples> sectors{};
    const std::int64_t grain = size * kPieceSamples < kFewNonzeros ? kPieceSamples : 1;
    parallel_for(0, kPieceSamples, grain, [&](std::int64_t i) {
        const auto first = static_cast<std::size_t>(spread(i, kPieceSamples, kPieces) * (f.nnz / kPieces));
        const auto piece = a.col_idxs.subspan(first, static_cast<std::size_t>(size));
        sectors[static_cast<std::size_t>(i)] = SectorCount(a).of(piece);
    });
    offset_t all = 0;
    for (const offset_t count : sectors) all += count;
    f.piece_sectors = static_cast<double>(all) / static_cast<double>(kPieceSamples * size);
}

/// Counts rows by their lengths.
class RowsByLength {
public:
    void add(offset_t length) {
        next_ = (next_ + 1) % counts_.size();
        if (length < kCounted)
            ++counts_[next_][static_cast<std::size_t>(length)];
        else
            longer_.push_back(length);
        nonzeros_ += length;
    }
    /// The largest width that so many of the rows fill.
    [[nodiscard]] offset_t width_filled_by(offset_t rows) {
        const auto longer = static_cast<offset_t>(longer_.size());
        if (rows <= longer) {
            std::ranges::nth_element(longer_, longer_.begin() + (rows - 1), std::greater());
            return longer_[static_cast<std::size_t>(rows - 1)];
        }
        rows -= longer;
        offset_t length = kCounted - 1;
        while (rows > of(length)) rows -= of(length--);
        return length;
    }
    [[nodiscard]] offset_t beyond(offset_t width) const {
        offset_t beyond = 0;
        for (offset_t length = width + 1; length < kCounted; ++length) beyond += (length - width) * of(length);
        for (const offset_t length : longer_) beyond += std::max<offset_t>(length - width, 0);
        return beyond;
    }
    [[nodiscard]] offset_t nonzeros() const { return nonzeros_; }

private:
    static constexpr offset_t kCounted = 512;

    [[nodiscard]] offset_t of(offset_t length) const {
        offset_t rows = 0;
        for (const auto& counts : counts_) rows += counts[static_cast<std::size_t>(length)];
        return rows;
    }

    std::array<std::array<std::uint16_t, kCounted>, 4> counts_{};  // of every fourth row: others need not wait
    std::size_t next_ = 0;
    std::vector<offset_t> longer_;
    offset_t nonzeros_ = 0;
};

/// ELL and COO of HYB, by the lengths of rows that are spread evenly.
void add_hyb(const PatternView& a, MatrixFeatures& f) {
    const offset_t samples = std::min<offset_t>(a.rows, kRowLengths);
    RowsByLength rows;
    for (offset_t i = 0; i < samples; ++i) {
        const auto row = static_cast<std::size_t>(spread(i, samples, a.rows));
        rows.add(a.row_ptrs[row + 1] - a.row_ptrs[row]);
    }
    f.hyb_width = rows.width_filled_by(div_up(samples, offset_t{3}));
    const offset_t rest = rows.beyond(f.hyb_width);
    f.hyb_rest = rows.nonzeros() == 0 ? 0 : static_cast<double>(rest) / static_cast<double>(rows.nonzeros());
}

}  // namespace

MatrixFeatures features_of(const PatternView& a) {
    MatrixFeatures f;
    f.value_bytes = a.value_bytes;
    f.sum_bytes = default_sum_bytes(a.value_bytes);
    f.rows = a.rows;
    f.cols = a.cols;
    f.nnz = a.nnz();
    add_row_lengths(a, f);
    if (f.nnz == 0) return f;
    add_blocks(a, f);
    add_pieces(a, f);
    add_strips(a, f);
    add_full_tiles(a, f);
    add_hyb(a, f);
    add_diagonals(a, f);
    return f;
}

}  // namespace tilespmv
