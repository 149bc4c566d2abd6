#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "selector/auto/sample.hpp"
#include "selector/tuning.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kStripPart = 4;  ///< slots take longer than blocks: their sample is so much smaller

struct Strip {
    offset_t nonzeros = 0;  ///< of the tile row
    offset_t taken = 0;     ///< in slots
    offset_t slots = 0;
    offset_t tiles = 0;
    offset_t repeated = 0;  ///< nonzeros of rows with the columns of the row before
    std::uint64_t pattern = 0;

    void add(const Strip& other) {
        nonzeros += other.nonzeros;
        taken += other.taken;
        slots += other.slots;
        tiles += other.tiles;
        repeated += other.repeated;
    }
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

/// The columns of the next nonzeros of the rows of a tile row.
class NextColumns {
public:
    NextColumns(const PatternView& a, index_t first_row, index_t rows) : cols_(a.col_idxs.data()) {
        std::copy_n(a.row_ptrs.data() + first_row, rows, at_.data());
        std::copy_n(a.row_ptrs.data() + first_row + 1, rows, end_.data());
        for (index_t r = 0; r < kTileSize; ++r) read(r);
    }
    [[nodiscard]] index_t of(index_t r) const { return next_[static_cast<std::size_t>(r)]; }
    [[nodiscard]] index_t least() const {
        index_t least = kEnd;
        for (const index_t next : next_) least = std::min(least, next);
        return least;
    }
    /// A bit for each row whose next nonzero is fewer than 16 columns away; without a branch, since none could be
    /// predicted.
    [[nodiscard]] unsigned near(index_t base) const {
        std::array<std::uint8_t, kTileSize> is_near{};
        for (std::size_t r = 0; r < kTileSize; ++r) is_near[r] = (next_[r] - base < kTileSize) & (next_[r] != kEnd);
        const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(is_near);
        constexpr std::uint64_t kGather = 0x0102040810204080;  // bit 0 of each byte into the highest byte
        return static_cast<unsigned>(halves[0] * kGather >> 56 | (halves[1] * kGather >> 56) << 8);
    }
    void pass(index_t r) {
        ++at_[static_cast<std::size_t>(r)];
        read(r);
    }

private:
    static constexpr index_t kEnd = std::numeric_limits<index_t>::max();

    void read(index_t row) {
        const auto r = static_cast<std::size_t>(row);
        next_[r] = at_[r] < end_[r] ? cols_[at_[r]] : kEnd;
    }

    const index_t* cols_;
    std::array<offset_t, kTileSize> at_{};
    std::array<offset_t, kTileSize> end_{};
    std::array<index_t, kTileSize> next_;  // or kEnd
};

Strip strip_of(const PatternView& a, index_t first_row) {
    const index_t rows = std::min<index_t>(kTileSize, a.rows - first_row);
    NextColumns next(a, first_row, rows);
    Strip strip{.nonzeros = a.row_ptrs[first_row + rows] - a.row_ptrs[first_row]};
    for (index_t row = first_row; row < first_row + rows; ++row) {
        if (is_like_the_row_before(a, row)) strip.repeated += a.row_ptrs[row + 1] - a.row_ptrs[row];
    }
    TileCount tiles;
    while (strip.taken < strip.nonzeros && strip.slots < kMostSlots) {
        for (unsigned left = next.near(next.least()); left != 0; left &= left - 1) {
            const index_t r = std::countr_zero(left);
            const index_t column = next.of(r);
            tiles.add(column / kTileSize);
            const auto place = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(column - first_row)) << 4) | r;
            strip.pattern = mixed(strip.pattern ^ place);
            ++strip.taken;
            next.pass(r);
        }
        ++strip.slots;
    }
    strip.tiles = tiles.count();
    strip.pattern = mixed(strip.pattern ^ static_cast<std::uint64_t>(strip.nonzeros));
    return strip;
}

/// Of tile rows that become strips: a few long rows are left to another product. Of all where no tile row is short.
void add_slots(std::vector<Strip>& strips, MatrixFeatures& f) {
    const offset_t most = cuda::StripTuning{}.max_slots;
    const auto longer = std::ranges::partition(strips, [&](const Strip& strip) { return strip.slots <= most; });
    if (longer.begin() != strips.begin()) strips.erase(longer.begin(), strips.end());
    Strip all;
    double slots = 0;
    std::unordered_set<std::uint64_t> patterns;
    offset_t repeated = 0;
    for (const Strip& strip : strips) {
        if (strip.taken == 0) continue;
        all.add(strip);
        slots +=
            static_cast<double>(strip.slots) * static_cast<double>(strip.nonzeros) / static_cast<double>(strip.taken);
        repeated += !patterns.insert(strip.pattern).second;
    }
    if (all.taken == 0) return;
    f.strip_slots = slots / static_cast<double>(strips.size());
    f.strip_fill = static_cast<double>(all.taken) / static_cast<double>(all.slots * kTileSize);
    f.repeated_strips = static_cast<double>(repeated) / static_cast<double>(strips.size());
}

}  // namespace

void add_strips(const PatternView& a, MatrixFeatures& f) {
    const offset_t tile_rows = div_up(offset_t{a.rows}, offset_t{kTileSize});
    const offset_t wanted = div_up(sampled_nonzeros(f.nnz) / kStripPart * tile_rows, f.nnz);
    const offset_t samples = std::min({kMostSamples, wanted, tile_rows});
    std::vector<Strip> strips(static_cast<std::size_t>(samples));
    parallel_for(0, samples, 64, [&](std::int64_t i) {  // fewer are not worth waking threads
        const auto tile_row = spread(i, samples, tile_rows);
        strips[static_cast<std::size_t>(i)] = strip_of(a, static_cast<index_t>(tile_row * kTileSize));
    });
    Strip all;
    for (const Strip& strip : strips) {
        if (strip.taken > 0) all.add(strip);
    }
    if (all.taken == 0) return;  // nothing but empty tile rows in the sample
    const offset_t listed = std::max<offset_t>(all.nonzeros - all.repeated, 1);
    f.inode_rows = static_cast<double>(all.nonzeros) / static_cast<double>(listed);
    f.tile_nonzeros = static_cast<double>(all.taken) / static_cast<double>(all.tiles);
    add_slots(strips, f);
}

}  // namespace tilespmv
