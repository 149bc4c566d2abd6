#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "kernels/operators/tile/lower.hpp"

namespace tilespmv::cuda {

/// Whom an item is for.
enum ItemKind : std::size_t { half_item, warp_item };

/// Consecutive tile rows, with positions relative to the first of them.
template <class T>
struct SlotRange {
    std::array<std::vector<TileItem>, 2> items;  // by kind
    std::array<std::vector<EntryEnds>, 2> ends;
    std::vector<Slot> slots;
    std::vector<T> values;
    std::vector<index_t> entry_columns;
    std::vector<T> entry_values;
    TilePieces pieces;
    LoweredShares shares;
};

/// Cuts one tile row after the other into items: slots, row slots, entries.
template <class T>
class Cutter {
public:
    explicit Cutter(const SlotLimits& limits) : limits_(limits) {}

    template <Value V>
    void add(std::int64_t tile_row, const Lowering<T, V>& lowered) {
        tile_row_ = static_cast<std::uint32_t>(tile_row);
        const std::size_t first = out.items[warp_item].size();
        const std::size_t first_value = out.values.size();
        next_entry_ = static_cast<std::int64_t>(out.entry_columns.size());
        sort_by_rows(lowered.entries);
        begin_item();
        for (const auto& filled : lowered.slots) {
            make_room(filled.count());
            append(filled);
            ++item_.slots;
        }
        for (const auto& filled : lowered.row_slots) {
            make_room(filled.count());
            append(filled);
            ++item_.row_slots;
        }
        const std::size_t entries = lowered.entries.size();
        const auto nonzeros = static_cast<offset_t>(out.values.size() - first_value + entries);
        if (nonzeros <= std::min(limits_.half_values, limits_.item_values) && entries <= kHalfEntries) {
            take_entries(0, static_cast<offset_t>(entries));
            return end_item(half_item);
        }
        cut_entries(static_cast<offset_t>(entries));
        end_item(warp_item);
        if (out.items[warp_item].size() - first > 1) split(first);
    }

    SlotRange<T> out;

private:
    /// Those of a row in the order of the tiles, the deferred ones last.
    void sort_by_rows(const std::vector<TileEntryValue<T>>& entries) {
        row_ends_.fill(0);
        for (const auto& entry : entries) ++row_ends_[static_cast<std::size_t>(entry.row)];
        std::partial_sum(row_ends_.begin(), row_ends_.end(), row_ends_.begin());
        std::array<offset_t, kTileSize> next{};
        std::copy_n(row_ends_.begin(), kTileSize - 1, next.begin() + 1);
        const std::size_t base = out.entry_columns.size();
        out.entry_columns.resize(base + entries.size());
        out.entry_values.resize(base + entries.size());
        for (const auto& entry : entries) {
            const std::size_t at = base + static_cast<std::size_t>(next[static_cast<std::size_t>(entry.row)]++);
            out.entry_columns[at] = entry.column;
            out.entry_values[at] = entry.value;
        }
    }

    void begin_item() {
        item_ = {};
        item_.first_value = static_cast<std::int64_t>(out.values.size());
        item_.first_slot = static_cast<std::uint32_t>(out.slots.size());
        item_.first_entry = next_entry_;
        item_.target = tile_row_;
        ends_ = {};
        work_ = 0;
    }

    void end_item(ItemKind kind) {
        out.items[kind].push_back(item_);
        out.ends[kind].push_back(ends_);
    }

    void make_room(int nonzeros) {
        if (work_ == 0 || work_ + nonzeros <= limits_.item_values) return;
        end_item(warp_item);
        begin_item();
    }

    void append(const FilledSlot<T>& filled) {
        const auto at = static_cast<std::int64_t>(out.values.size());
        out.slots.push_back(filled.slot);
        out.slots.back().lanes_and_value |= static_cast<std::uint32_t>(at - item_.first_value) << 16;
        filled.for_each_lane([&](int lane) { out.values.push_back(filled.values[static_cast<std::size_t>(lane)]); });
        work_ += filled.count();
    }

    void cut_entries(offset_t all) {
        for (offset_t done = 0; done < all;) {
            if (work_ >= limits_.item_values) {
                end_item(warp_item);
                begin_item();
            }
            const offset_t count = std::min(all - done, limits_.item_values - work_);
            take_entries(done, count);
            done += count;
        }
    }

    /// Gives the item `count` of the tile row's entries, from `first` on.
    void take_entries(offset_t first, offset_t count) {
        item_.entries = static_cast<std::uint16_t>(count);
        for (std::size_t r = 0; r < ends_.size(); ++r) {
            ends_[r] = static_cast<std::uint16_t>(std::clamp<offset_t>(row_ends_[r] - first, 0, count));
        }
        work_ += count;
        next_entry_ += count;
    }

    void split(std::size_t first_item) {
        const std::size_t items = out.items[warp_item].size() - first_item;
        const std::size_t first_piece = out.pieces.pieces.size();
        for (std::size_t i = 0; i < items; ++i) {
            out.items[warp_item][first_item + i].target =
                TileItem::kPiece | static_cast<std::uint32_t>(first_piece + i);
        }
        out.pieces.add(tile_row_, static_cast<std::uint32_t>(items));
    }

    SlotLimits limits_;
    std::uint32_t tile_row_ = 0;
    std::array<offset_t, kTileSize> row_ends_{};
    TileItem item_;
    EntryEnds ends_{};
    offset_t work_ = 0;            // nonzeros of item_
    std::int64_t next_entry_ = 0;  // the first that no item has
};

}  // namespace tilespmv::cuda
