#include "selector/auto/matrix_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kBlock = 512;              ///< nonzeros
constexpr offset_t kPieces = 264;             ///< of the matrix: blocks of csr-vector:turns=1
constexpr offset_t kPieceSamples = 4;         ///< pieces that are looked at, ...
constexpr offset_t kMostOfPiece = 1 << 16;    ///< ... and nonzeros of each
constexpr offset_t kMostSamples = 256;        ///< blocks, and tile rows
constexpr offset_t kLeastNonzeros = 8192;     ///< of the sample, if the matrix has so many
constexpr offset_t kSampledPart = 32;         ///< of larger matrices one in so many
constexpr offset_t kMostSlots = 1024;         ///< of a tile row; what follows is taken to be alike
constexpr offset_t kStripPart = 4;            ///< slots take longer than blocks: their sample is so much smaller
constexpr offset_t kFullTileRows = 64;        ///< that are looked at for full tiles, ...
constexpr offset_t kFullTiles = 16;           ///< ... and tiles of each
constexpr offset_t kRowLengths = 1 << 16;     ///< rows whose lengths tell the width of HYB
constexpr std::size_t kMostDiagonals = 1024;  ///< that are told apart
constexpr offset_t kNarrowColumns = 1 << 16;  ///< of csr16
constexpr std::size_t kSectorBytes = 32;      ///< what a GPU reads of x at least
constexpr std::size_t kHubBytes = 192 << 10;  ///< of x: what shared memory has room for
constexpr index_t kMostCounters = 1 << 20;    ///< of columns; more columns share them

std::uint64_t mixed(std::uint64_t bits) {
    bits *= 0x9e3779b97f4a7c15;
    return bits ^ (bits >> 32);
}

/// Where the i-th of `samples` pieces begins that are spread evenly over [0, size).
offset_t spread(offset_t i, offset_t samples, offset_t size) {
    return static_cast<offset_t>(static_cast<double>(i) / static_cast<double>(samples) * static_cast<double>(size));
}

offset_t sampled_nonzeros(offset_t nnz) {
    return std::clamp(nnz / kSampledPart, kLeastNonzeros, kMostSamples * kBlock);
}

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

struct RowSums {
    double squares = 0;
    offset_t longest = 0;
    offset_t empty = 0;
    offset_t full = 0;  ///< nonzeros, by the lengths of rows
};

void add_row_lengths(const PatternView& a, MatrixFeatures& f) {
    constexpr std::int64_t grain = 1 << 16;
    std::vector<RowSums> ranges(static_cast<std::size_t>(div_up(std::int64_t{a.rows}, grain)));
    parallel_ranges(0, a.rows, grain, [&](std::int64_t first, std::int64_t end) {
        RowSums sums;
        for (std::int64_t row = first; row < end; ++row) {
            const offset_t length = a.row_ptrs[row + 1] - a.row_ptrs[row];
            sums.squares += static_cast<double>(length) * static_cast<double>(length);
            sums.longest = std::max(sums.longest, length);
            sums.empty += length == 0;
            if (row % kTileSize == 0) sums.full += full_by_lengths(a, row);
        }
        ranges[static_cast<std::size_t>(first / grain)] = sums;
    });
    RowSums all;
    for (const RowSums& range : ranges) {
        all.squares += range.squares;
        all.longest = std::max(all.longest, range.longest);
        all.empty += range.empty;
        all.full += range.full;
    }
    const auto rows = static_cast<double>(std::max<index_t>(a.rows, 1));
    f.mean_row = static_cast<double>(f.nnz) / rows;
    f.row_deviation = std::sqrt(std::max(all.squares / rows - f.mean_row * f.mean_row, 0.0));
    f.longest_row = all.longest;
    f.empty_rows = static_cast<double>(all.empty) / rows;
    f.full_tile_share = f.nnz == 0 ? 0 : static_cast<double>(all.full) / static_cast<double>(f.nnz);
    f.row_rounds = cuda::row_lengths(a.row_ptrs);
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

/// Distinct numbers of at most kBlock that are not negative.
class DistinctCount {
public:
    DistinctCount() { places_.fill(-1); }
    void add(index_t number) {
        auto place = static_cast<std::size_t>(mixed(static_cast<std::uint64_t>(number))) % places_.size();
        while (places_[place] >= 0 && places_[place] != number) place = (place + 1) % places_.size();
        count_ += places_[place] < 0;
        places_[place] = number;
    }
    [[nodiscard]] offset_t count() const { return count_; }

private:
    std::array<index_t, 2 * kBlock> places_;
    offset_t count_ = 0;
};

/// How often columns occur. Where there are more columns than counters some share one, so that a count is at least the
/// true one.
class ColumnCounts {
public:
    explicit ColumnCounts(index_t cols)
        : is_exact_(cols <= kMostCounters), counts_(static_cast<std::size_t>(std::min(cols, kMostCounters))) {}
    void add(index_t column) {
        auto& count = counts_[at(column)];
        count += count < kMost;
    }
    [[nodiscard]] std::size_t of(index_t column) const { return counts_[at(column)]; }
    /// Number of columns, or counters, by count.
    [[nodiscard]] std::vector<offset_t> histogram() const {
        std::vector<offset_t> columns(kMost + std::size_t{1});
        for (const auto count : counts_) ++columns[count];
        return columns;
    }

private:
    static constexpr std::uint16_t kMost = 4095;
    [[nodiscard]] std::size_t at(index_t column) const {
        const auto wide = static_cast<std::uint64_t>(column);
        return static_cast<std::size_t>(is_exact_ ? wide : mixed(wide) % kMostCounters);
    }
    bool is_exact_;
    std::vector<std::uint16_t> counts_;
};

using Blocks = std::vector<std::span<const index_t>>;

double hub_share(const Blocks& blocks, const PatternView& a) {
    auto hubs = static_cast<offset_t>(kHubBytes / a.value_bytes);
    if (a.cols <= hubs) return 1;
    ColumnCounts counts(a.cols);
    for (std::size_t i = 0; i < blocks.size(); i += 2)
        std::ranges::for_each(blocks[i], [&](index_t c) { counts.add(c); });
    // Of each count, the share of its columns that is among the hubs.
    const auto columns = counts.histogram();
    std::vector<double> is_hub(columns.size());
    for (std::size_t count = columns.size() - 1; count > 0 && hubs > 0; --count) {
        if (columns[count] == 0) continue;
        const offset_t taken = std::min(hubs, columns[count]);
        is_hub[count] = static_cast<double>(taken) / static_cast<double>(columns[count]);
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

void add_blocks(const PatternView& a, MatrixFeatures& f) {
    const offset_t samples = std::min(sampled_nonzeros(f.nnz) / kBlock, div_up(f.nnz, kBlock));
    Blocks blocks(static_cast<std::size_t>(samples));
    std::vector<offset_t> sectors(blocks.size());
    const auto in_sector = static_cast<index_t>(kSectorBytes / a.value_bytes);
    parallel_for(0, samples, 16, [&](std::int64_t i) {
        const auto first = spread(i, samples, div_up(f.nnz, kBlock)) * kBlock;
        const auto size = std::min(kBlock, f.nnz - first);
        const auto block = a.col_idxs.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size));
        DistinctCount distinct;
        for (const index_t column : block) distinct.add(column / in_sector);
        blocks[static_cast<std::size_t>(i)] = block;
        sectors[static_cast<std::size_t>(i)] = distinct.count();
    });
    std::size_t all = 0;
    std::size_t narrow = 0;
    offset_t all_sectors = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto [least, most] = std::ranges::minmax(blocks[i]);
        all += blocks[i].size();
        narrow += most - least < kNarrowColumns ? blocks[i].size() : 0;
        all_sectors += sectors[i];
    }
    f.narrow_share = static_cast<double>(narrow) / static_cast<double>(all);
    f.x_sectors = static_cast<double>(all_sectors) / static_cast<double>(all);
    f.hub_share = hub_share(blocks, a);
}

/// Distinct sectors of x that consecutive nonzeros meet.
offset_t sectors_of(std::span<const index_t> col_idxs, index_t cols, index_t in_sector) {
    std::vector<bool> is_met(static_cast<std::size_t>(cols / in_sector) + 1);
    offset_t count = 0;
    for (const index_t column : col_idxs) {
        auto met = is_met[static_cast<std::size_t>(column / in_sector)];
        count += !met;
        met = true;
    }
    return count;
}

void add_pieces(const PatternView& a, MatrixFeatures& f) {
    f.piece_sectors = f.x_sectors;
    const offset_t size = std::min(f.nnz / kPieces, kMostOfPiece);
    if (size <= kBlock) return;
    const auto in_sector = static_cast<index_t>(kSectorBytes / a.value_bytes);
    std::array<offset_t, kPieceSamples> sectors{};
    parallel_for(0, kPieceSamples, 1, [&](std::int64_t i) {
        const auto first = static_cast<std::size_t>(spread(i, kPieceSamples, kPieces) * (f.nnz / kPieces));
        const auto piece = a.col_idxs.subspan(first, static_cast<std::size_t>(size));
        sectors[static_cast<std::size_t>(i)] = sectors_of(piece, a.cols, in_sector);
    });
    offset_t all = 0;
    for (const offset_t count : sectors) all += count;
    f.piece_sectors = static_cast<double>(all) / static_cast<double>(kPieceSamples * size);
}

struct Strip {
    offset_t nonzeros = 0;  ///< of the tile row
    offset_t taken = 0;     ///< in slots
    offset_t slots = 0;
    offset_t tiles = 0;
    offset_t repeated = 0;  ///< nonzeros of rows with the columns of the row before
    std::uint64_t pattern = 0;
};

/// Counts columns of tiles as slots take nonzeros from left to right: those of a slot lie in the tile of its first
/// column and the next one.
class TileCount {
public:
    void add(index_t tile) {
        if (tile == low_ || tile == high_) return;
        ++count_;
        if (tile > high_)
            low_ = std::exchange(high_, tile);
        else
            low_ = tile;
    }
    [[nodiscard]] offset_t count() const { return count_; }

private:
    index_t low_ = -1;
    index_t high_ = -1;
    offset_t count_ = 0;
};

/// By their first columns.
bool is_like_the_row_before(const PatternView& a, index_t row) {
    if (row == 0) return false;
    const auto* const ends = a.row_ptrs.data() + row;
    const index_t* const cols = a.col_idxs.data();
    const offset_t length = ends[1] - ends[0];
    return ends[0] - ends[-1] == length &&
           std::equal(cols + ends[-1], cols + ends[-1] + std::min(length, kMostSlots), cols + ends[0]);
}

Strip strip_of(const PatternView& a, index_t first_row) {
    const index_t rows = std::min<index_t>(kTileSize, a.rows - first_row);
    std::array<offset_t, kTileSize> at{};
    std::array<index_t, kTileSize> next{};  // column of the next nonzero of each row, or kEnd
    constexpr index_t kEnd = std::numeric_limits<index_t>::max();
    const auto column = [&](index_t r) {
        return at[r] < a.row_ptrs[first_row + r + 1] ? a.col_idxs[static_cast<std::size_t>(at[r])] : kEnd;
    };
    next.fill(kEnd);
    for (index_t r = 0; r < rows; ++r) {
        at[r] = a.row_ptrs[first_row + r];
        next[r] = column(r);
    }
    Strip strip{.nonzeros = a.row_ptrs[first_row + rows] - a.row_ptrs[first_row]};
    for (index_t row = first_row; row < first_row + rows; ++row) {
        if (is_like_the_row_before(a, row)) strip.repeated += a.row_ptrs[row + 1] - a.row_ptrs[row];
    }
    TileCount tiles;
    while (strip.taken < strip.nonzeros && strip.slots < kMostSlots) {
        const index_t base = *std::ranges::min_element(next);
        for (index_t r = 0; r < rows; ++r) {
            if (next[r] == kEnd || next[r] - base >= kTileSize) continue;
            tiles.add(next[r] / kTileSize);
            const auto place = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(next[r] - first_row)) << 4) | r;
            strip.pattern = mixed(strip.pattern ^ place);
            ++at[r];
            ++strip.taken;
            next[r] = column(r);
        }
        ++strip.slots;
    }
    strip.tiles = tiles.count();
    strip.pattern = mixed(strip.pattern ^ static_cast<std::uint64_t>(strip.nonzeros));
    return strip;
}

void add_strips(const PatternView& a, MatrixFeatures& f) {
    const offset_t tile_rows = div_up(offset_t{a.rows}, offset_t{kTileSize});
    const offset_t wanted = div_up(sampled_nonzeros(f.nnz) / kStripPart * tile_rows, f.nnz);
    const offset_t samples = std::min({kMostSamples, wanted, tile_rows});
    std::vector<Strip> strips(static_cast<std::size_t>(samples));
    parallel_for(0, samples, 16, [&](std::int64_t i) {
        const auto tile_row = spread(i, samples, tile_rows);
        strips[static_cast<std::size_t>(i)] = strip_of(a, static_cast<index_t>(tile_row * kTileSize));
    });
    double slots = 0;
    offset_t repeated = 0;
    Strip all;
    std::unordered_set<std::uint64_t> patterns;
    for (const Strip& strip : strips) {
        if (strip.taken == 0) continue;
        all.nonzeros += strip.nonzeros;
        all.repeated += strip.repeated;
        all.taken += strip.taken;
        all.slots += strip.slots;
        all.tiles += strip.tiles;
        slots +=
            static_cast<double>(strip.slots) * static_cast<double>(strip.nonzeros) / static_cast<double>(strip.taken);
        repeated += !patterns.insert(strip.pattern).second;
    }
    if (all.taken == 0) return;  // nothing but empty tile rows in the sample
    const offset_t listed = std::max<offset_t>(all.nonzeros - all.repeated, 1);
    f.inode_rows = static_cast<double>(all.nonzeros) / static_cast<double>(listed);
    f.strip_slots = slots / static_cast<double>(samples);
    f.strip_fill = static_cast<double>(all.taken) / static_cast<double>(all.slots * kTileSize);
    f.tile_nonzeros = static_cast<double>(all.taken) / static_cast<double>(all.tiles);
    f.repeated_strips = static_cast<double>(repeated) / static_cast<double>(samples);
}

/// ELL and COO of HYB, by the lengths of rows that are spread evenly.
void add_hyb(const PatternView& a, MatrixFeatures& f) {
    const offset_t samples = std::min<offset_t>(a.rows, kRowLengths);
    std::vector<offset_t> lengths(static_cast<std::size_t>(samples));
    for (offset_t i = 0; i < samples; ++i) {
        const auto row = static_cast<std::size_t>(spread(i, samples, a.rows));
        lengths[static_cast<std::size_t>(i)] = a.row_ptrs[row + 1] - a.row_ptrs[row];
    }
    const auto third = lengths.begin() + (div_up(samples, offset_t{3}) - 1);
    std::ranges::nth_element(lengths, third, std::greater());
    f.hyb_width = *third;
    offset_t all = 0;
    offset_t rest = 0;
    for (const offset_t length : lengths) {
        all += length;
        rest += std::max<offset_t>(length - f.hyb_width, 0);
    }
    f.hyb_rest = all == 0 ? 0 : static_cast<double>(rest) / static_cast<double>(all);
}

void add_diagonals(const PatternView& a, MatrixFeatures& f) {
    const offset_t tile_rows = div_up(offset_t{a.rows}, offset_t{kTileSize});
    const offset_t samples = std::min(kMostSamples, tile_rows);
    std::unordered_set<offset_t> diagonals;
    for (offset_t i = 0; i < samples; ++i) {
        // Another row of each, since unknowns of a node have other diagonals.
        const offset_t row = std::min<offset_t>(spread(i, samples, tile_rows) * kTileSize + i % kTileSize, a.rows - 1);
        const auto begin = static_cast<std::size_t>(a.row_ptrs[static_cast<std::size_t>(row)]);
        const auto end = std::min(static_cast<std::size_t>(a.row_ptrs[static_cast<std::size_t>(row) + 1]),
                                  begin + static_cast<std::size_t>(kMostSlots));
        for (std::size_t k = begin; k < end && diagonals.size() < kMostDiagonals; ++k) {
            diagonals.insert(offset_t{a.col_idxs[k]} - row);
        }
    }
    f.diagonals = static_cast<offset_t>(diagonals.size());
}

}  // namespace

MatrixFeatures features_of(const PatternView& a) {
    MatrixFeatures f;
    f.value_bytes = a.value_bytes;
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
