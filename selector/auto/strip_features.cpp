#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <unordered_set>
#include <vector>

#include "selector/auto/sample.hpp"
#include "selector/auto/strip_slots.hpp"
#include "selector/tuning.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kStripPart = 4;  ///< slots take longer than blocks: their sample is so much smaller

/// What slots take of a tile row.
struct TakenStrip {
    offset_t nonzeros = 0;
    offset_t taken = 0;  ///< in slots
    offset_t slots = 0;
    offset_t tiles = 0;
    std::uint64_t pattern = 0;

    void add(const TakenStrip& other) {
        nonzeros += other.nonzeros;
        taken += other.taken;
        slots += other.slots;
        tiles += other.tiles;
    }
};

/// By their first columns.
bool is_like_the_row_before(const SampledStrip& strip, std::size_t row) {
    const offset_t length = strip.ptrs[row + 1] - strip.ptrs[row];
    if (row > 0) {
        return strip.ptrs[row] - strip.ptrs[row - 1] == length &&
               std::ranges::equal(strip.beginning_of(row - 1), strip.beginning_of(row));
    }
    return !strip.before.empty() && strip.before[1] - strip.before[0] == length &&
           std::ranges::equal(strip.columns_before, strip.beginning_of(0));
}

/// No row has more than `kMostSlots` nonzeros in slots: of long rows those first ones are copied.
StripRows first_nonzeros(const SampledStrip& strip, std::vector<index_t>& copy) {
    StripRows all;
    all.first_row = strip.first_row;
    for (std::size_t r = 0; r < strip.rows(); ++r) {
        const auto of_row = strip.beginning_of(r);
        all.begin[r] = static_cast<std::int32_t>(strip.is_short() ? strip.ptrs[r] - strip.ptrs[0] : std::ssize(copy));
        if (!strip.is_short()) copy.insert(copy.end(), of_row.begin(), of_row.end());
        all.end[r] = static_cast<std::int32_t>(strip.is_short() ? strip.ptrs[r + 1] - strip.ptrs[0] : std::ssize(copy));
    }
    all.columns = strip.is_short() ? strip.columns[0] : ColumnSpan(copy);
    return all;
}

/// Of all, two at once.
std::vector<TakenStrip> count_strips(std::span<const SampledStrip> strips) {
    std::vector<TakenStrip> counted(strips.size());
    for (std::size_t first = 0; first < strips.size(); first += 2) {
        const std::size_t some = std::min<std::size_t>(2, strips.size() - first);
        std::array<StripRows, 2> rows;
        std::array<std::vector<index_t>, 2> copies;
        for (std::size_t i = 0; i < some; ++i) rows[i] = first_nonzeros(strips[first + i], copies[i]);
        const auto slots = count_slots(rows, kMostSlots);
        for (std::size_t i = 0; i < some; ++i) {
            const offset_t nonzeros = strips[first + i].nonzeros();
            counted[first + i] = {nonzeros, slots[i].taken, slots[i].slots, slots[i].tiles,
                                  mixed(slots[i].pattern ^ static_cast<std::uint64_t>(nonzeros))};
        }
    }
    return counted;
}

void add_inodes(std::span<const SampledStrip> strips, MatrixFeatures& f) {
    offset_t nonzeros = 0;
    offset_t others = 0;  // of rows that are not like the row before
    for (const SampledStrip& strip : strips) {
        nonzeros += strip.nonzeros();
        for (std::size_t row = 0; row < strip.rows(); ++row) {
            if (!is_like_the_row_before(strip, row)) others += strip.ptrs[row + 1] - strip.ptrs[row];
        }
    }
    if (nonzeros == 0) return;  // nothing but empty tile rows in the sample
    f.inode_rows = static_cast<double>(nonzeros) / static_cast<double>(std::max<offset_t>(others, 1));
}

/// Of tile rows that become strips: a few long rows are left to another product. Of all where no tile row is short.
void add_slots(std::vector<TakenStrip>& strips, MatrixFeatures& f) {
    const offset_t most = StripTuning{}.max_slots;
    const auto longer = std::ranges::partition(strips, [&](const TakenStrip& strip) { return strip.slots <= most; });
    if (longer.begin() != strips.begin()) strips.erase(longer.begin(), strips.end());
    TakenStrip all;
    double slots = 0;
    std::unordered_set<std::uint64_t> patterns;
    offset_t repeated = 0;
    for (const TakenStrip& strip : strips) {
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

ColumnSpan SampledStrip::beginning_of(std::size_t row) const {
    if (!is_short()) return columns[row];
    const ElementRange range = tilespmv::beginning_of(ptrs, row);
    return columns[0].subspan(static_cast<std::size_t>(range.first - ptrs[0]), static_cast<std::size_t>(range.size));
}

StripSample::StripSample(const MatrixFeatures& f) : rows_(f.rows) {
    const offset_t tile_rows = tile_rows_of(f);
    const offset_t wanted = div_up(sampled_nonzeros(f.nnz) / kStripPart * tile_rows, f.nnz);
    const offset_t samples = std::min({kMostSamples, wanted, tile_rows});
    for (offset_t i = 0; i < samples; ++i)
        strips_.push_back({.first_row = static_cast<index_t>(spread(i, samples, tile_rows) * kTileSize)});
}

ElementRanges StripSample::row_ptrs() const {
    ElementRanges ptrs;
    for (const SampledStrip& strip : strips_) {
        const offset_t first = std::max(strip.first_row - 1, 0);
        ptrs.push_back({first, std::min<offset_t>(offset_t{strip.first_row} + kTileSize, rows_) + 1 - first});
    }
    return ptrs;
}

ElementRanges StripSample::take(std::span<const RowPtrSpan> row_ptrs) {
    ElementRanges columns;
    for (std::size_t i = 0; i < strips_.size(); ++i) {
        SampledStrip& strip = strips_[i];
        strip.ptrs = row_ptrs[i];
        if (strip.first_row > 0) {
            strip.before = strip.ptrs.first(2);
            strip.ptrs = strip.ptrs.subspan(1);
            columns.push_back(beginning_of(strip.before, 0));
        }
        if (strip.is_short()) {
            columns.push_back({strip.ptrs[0], strip.nonzeros()});
        } else {
            for (std::size_t row = 0; row < strip.rows(); ++row) columns.push_back(beginning_of(strip.ptrs, row));
        }
    }
    return columns;
}

void StripSample::add_to(std::span<const ColumnSpan> columns, MatrixFeatures& f) {
    for (SampledStrip& strip : strips_) {
        const std::size_t ranges = strip.is_short() ? 1 : strip.rows();
        if (!strip.before.empty()) {
            strip.columns_before = columns[0];
            columns = columns.subspan(1);
        }
        strip.columns = columns.first(ranges);
        columns = columns.subspan(ranges);
    }
    add_inodes(strips_, f);
    std::vector<TakenStrip> taken = count_strips(strips_);
    TakenStrip all;
    for (const TakenStrip& strip : taken) {
        if (strip.taken > 0) all.add(strip);
    }
    if (all.taken == 0) return;  // nothing but empty tile rows in the sample
    f.tile_nonzeros = static_cast<double>(all.taken) / static_cast<double>(all.tiles);
    add_slots(taken, f);
}

}  // namespace tilespmv
