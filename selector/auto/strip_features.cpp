#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "selector/auto/sample.hpp"
#include "selector/auto/strip_slots.hpp"
#include "selector/tuning.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kStripPart = 4;  ///< slots take longer than blocks: their sample is so much smaller

/// By their first columns.
bool is_like_the_row_before(const PatternView& a, index_t row) {
    if (row == 0) return false;
    const auto* const ends = a.row_ptrs.data() + row;
    const index_t* const cols = a.col_idxs.data();
    const offset_t length = ends[1] - ends[0];
    return ends[0] - ends[-1] == length &&
           std::equal(cols + ends[-1], cols + ends[-1] + std::min(length, kMostSlots), cols + ends[0]);
}

bool is_short_strip(offset_t nonzeros) { return nonzeros <= kTileSize * kMostSlots; }

/// The first `kMostSlots` nonzeros of a row.
std::span<const index_t> beginning_of(const PatternView& a, index_t row) {
    const auto* const ends = a.row_ptrs.data() + row;
    return a.col_idxs.subspan(static_cast<std::size_t>(ends[0]),
                              static_cast<std::size_t>(std::min(ends[1] - ends[0], kMostSlots)));
}

/// No row has more than `kMostSlots` nonzeros in slots: of long rows those first ones are copied.
StripRows first_nonzeros(const PatternView& a, index_t first_row, index_t rows, std::vector<index_t>& copy) {
    const offset_t* const ptrs = a.row_ptrs.data() + first_row;
    StripRows all{.columns = a.col_idxs.subspan(static_cast<std::size_t>(ptrs[0]),
                                                static_cast<std::size_t>(ptrs[rows] - ptrs[0])),
                  .first_row = first_row};
    const bool is_short = is_short_strip(ptrs[rows] - ptrs[0]);
    for (std::size_t r = 0; std::cmp_less(r, rows); ++r) {
        const auto of_row = beginning_of(a, first_row + static_cast<index_t>(r));
        all.begin[r] = static_cast<std::int32_t>(is_short ? ptrs[r] - ptrs[0] : std::ssize(copy));
        if (!is_short) copy.insert(copy.end(), of_row.begin(), of_row.end());
        all.end[r] = static_cast<std::int32_t>(is_short ? ptrs[r + 1] - ptrs[0] : std::ssize(copy));
    }
    if (!is_short) all.columns = copy;
    return all;
}

offset_t repeated_nonzeros(const PatternView& a, index_t first_row, index_t rows) {
    offset_t repeated = 0;
    for (index_t row = first_row; row < first_row + rows; ++row) {
        if (is_like_the_row_before(a, row)) repeated += a.row_ptrs[row + 1] - a.row_ptrs[row];
    }
    return repeated;
}

/// Two tile rows, or one.
void count_strips(const PatternView& a, std::span<const index_t> first_rows, std::span<SampledStrip> strips) {
    std::array<StripRows, 2> rows;
    std::array<std::vector<index_t>, 2> copies;
    for (std::size_t i = 0; i < strips.size(); ++i) {
        const index_t first = first_rows[i];
        const index_t count = std::min<index_t>(kTileSize, a.rows - first);
        rows[i] = first_nonzeros(a, first, count, copies[i]);
        strips[i].nonzeros = a.row_ptrs[first + count] - a.row_ptrs[first];
    }
    const auto slots = count_slots(rows, kMostSlots);
    for (std::size_t i = 0; i < strips.size(); ++i) {
        strips[i].taken = slots[i].taken;
        strips[i].slots = slots[i].slots;
        strips[i].tiles = slots[i].tiles;
        strips[i].pattern = mixed(slots[i].pattern ^ static_cast<std::uint64_t>(strips[i].nonzeros));
    }
}

/// Of tile rows that become strips: a few long rows are left to another product. Of all where no tile row is short.
void add_slots(std::vector<SampledStrip>& strips, MatrixFeatures& f) {
    const offset_t most = StripTuning{}.max_slots;
    const auto longer = std::ranges::partition(strips, [&](const SampledStrip& strip) { return strip.slots <= most; });
    if (longer.begin() != strips.begin()) strips.erase(longer.begin(), strips.end());
    SampledStrip all;
    double slots = 0;
    std::unordered_set<std::uint64_t> patterns;
    offset_t repeated = 0;
    for (const SampledStrip& strip : strips) {
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

void SampledStrip::add(const SampledStrip& other) {
    nonzeros += other.nonzeros;
    taken += other.taken;
    slots += other.slots;
    tiles += other.tiles;
}

StripSample::StripSample(const PatternView& a) : a_(a) {
    const offset_t tile_rows = div_up(offset_t{a.rows}, offset_t{kTileSize});
    const offset_t wanted = div_up(sampled_nonzeros(a.nnz()) / kStripPart * tile_rows, a.nnz());
    strips_.resize(static_cast<std::size_t>(std::min({kMostSamples, wanted, tile_rows})));
}

index_t StripSample::first_row(std::int64_t i) const {
    const offset_t tile_rows = div_up(offset_t{a_.rows}, offset_t{kTileSize});
    return static_cast<index_t>(spread(i, size(), tile_rows) * kTileSize);
}

void StripSample::count(std::int64_t first, std::int64_t end) {
    constexpr std::int64_t kFewStrips = 64;  // are not worth waking threads
    parallel_ranges(first, end, kFewStrips, [&](std::int64_t begin, std::int64_t behind) {
        for (std::int64_t i = begin; i < behind; i += 2) {
            const auto some = static_cast<std::size_t>(std::min<std::int64_t>(2, behind - i));
            const std::array first_rows{first_row(i), first_row(std::min(i + 1, behind - 1))};
            count_strips(a_, first_rows, std::span(strips_).subspan(static_cast<std::size_t>(i), some));
        }
    });
}

void list_strip_rows(const PatternView& a, RowPtrRanges& ptrs) {
    const StripSample sample(a);
    for (std::int64_t i = 0; i < sample.size(); ++i) {
        const index_t first = sample.first_row(i);
        ptrs.push_back(row_ptrs_of(a, first - 1, offset_t{first} + kTileSize));
    }
}

void list_strips(const PatternView& a, ColumnRanges& columns) {
    const StripSample sample(a);
    for (std::int64_t i = 0; i < sample.size(); ++i) {
        const index_t first = sample.first_row(i);
        const index_t end = first + std::min<index_t>(kTileSize, a.rows - first);
        const offset_t begin = a.row_ptrs[static_cast<std::size_t>(first)];
        const offset_t nonzeros = a.row_ptrs[static_cast<std::size_t>(end)] - begin;
        if (first > 0) columns.push_back(beginning_of(a, first - 1));
        if (is_short_strip(nonzeros)) {
            columns.push_back(a.col_idxs.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(nonzeros)));
        } else {
            for (index_t row = first; row < end; ++row) columns.push_back(beginning_of(a, row));
        }
    }
}

void add_inodes(const PatternView& a, MatrixFeatures& f) {
    const StripSample sample(a);
    offset_t nonzeros = 0;
    offset_t repeated = 0;
    for (std::int64_t i = 0; i < sample.size(); ++i) {
        const index_t first = sample.first_row(i);
        const index_t count = std::min<index_t>(kTileSize, a.rows - first);
        nonzeros += a.row_ptrs[first + count] - a.row_ptrs[first];
        repeated += repeated_nonzeros(a, first, count);
    }
    if (nonzeros == 0) return;  // nothing but empty tile rows in the sample
    f.inode_rows = static_cast<double>(nonzeros) / static_cast<double>(std::max<offset_t>(nonzeros - repeated, 1));
}

void StripSample::add_to(MatrixFeatures& f) {
    SampledStrip all;
    for (const SampledStrip& strip : strips_) {
        if (strip.taken > 0) all.add(strip);
    }
    if (all.taken == 0) return;  // nothing but empty tile rows in the sample
    f.tile_nonzeros = static_cast<double>(all.taken) / static_cast<double>(all.tiles);
    add_slots(strips_, f);
}

}  // namespace tilespmv
