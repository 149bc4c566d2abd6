#pragma once

#include <array>
#include <bit>
#include <type_traits>
#include <vector>

#include "formats/list.hpp"
#include "kernels/operators/tile/slots.hpp"

namespace tilespmv::cuda {

/// A slot with its values by lane, not yet in an item.
template <class T>
struct FilledSlot {
    Slot slot{};
    std::array<T, kTileSize> values;

    void set(int lane, T value) {
        slot.lanes_and_value |= 1u << lane;
        values[static_cast<std::size_t>(lane)] = value;
    }
    void set_code(int lane, int code) {
        slot.codes[static_cast<std::size_t>(lane / 8)] |= static_cast<std::uint32_t>(code) << lane % 8 * 4;
    }
    [[nodiscard]] index_t column(int lane) const {
        const std::uint32_t code = slot.codes[static_cast<std::size_t>(lane / 8)] >> lane % 8 * 4 & 15u;
        return static_cast<index_t>(slot.column + code);
    }
    [[nodiscard]] int count() const { return std::popcount(slot.lanes()); }
    /// f(lane) for those that have a nonzero.
    template <class F>
    void for_each_lane(F&& f) const {
        for (unsigned lanes = slot.lanes(); lanes != 0; lanes &= lanes - 1) f(std::countr_zero(lanes));
    }
};

/// A nonzero of its own.
template <class T>
struct TileEntryValue {
    int row;
    index_t column;
    T value;
};

/// What became slots, or entries, of the tiles of one format or of the deferred nonzeros.
struct LoweredShare {
    offset_t tile_rows = 0;
    offset_t nnz = 0;
    offset_t slots = 0;
    std::int64_t last_tile_row = -1;

    void add(std::int64_t tile_row, std::size_t nonzeros, std::size_t in_slots) {
        if (nonzeros == 0) return;
        nnz += static_cast<offset_t>(nonzeros);
        slots += static_cast<offset_t>(in_slots);
        tile_rows += last_tile_row != tile_row;
        last_tile_row = tile_row;
    }
};
inline constexpr std::size_t kDeferredShare = formats::kFormatCount;
/// By format.
struct LoweredShares {
    std::array<LoweredShare, formats::kFormatCount> slots;
    std::array<LoweredShare, formats::kFormatCount + 1> entries;
};

/// Slots that a tile of format F may fill; what is left over becomes entries.
template <class F>
constexpr int most_slots(TileEntry entry) {
    const bool is_limited = std::is_same_v<F, formats::Hyb> || std::is_same_v<F, formats::Coo>;
    return is_limited ? entry.parameter() : kTileSize;
}

/// The tiles and deferred nonzeros of one tile row after the other, in slots and entries.
template <class T, Value V>
class Lowering {
public:
    Lowering(const TileMatrix<V>& a, const Buffer<T>& values, const Buffer<T>& deferred)
        : a_(a), values_(values), deferred_(deferred) {}

    std::vector<FilledSlot<T>> slots;
    std::vector<FilledSlot<T>> row_slots;
    std::vector<TileEntryValue<T>> entries;
    LoweredShares shares;

    /// `listed`: position of the tile row among those with tiles, -1 if it has none.
    void lower(std::int64_t tile_row, offset_t listed) {
        slots.clear();
        row_slots.clear();
        entries.clear();
        if (listed >= 0) {
            for_each_tile(a_, listed, [&](const TileView<V>& tile) {
                formats::visit_format(tile.entry.format(), [&]<class F>() { lower_tile<F>(tile_row, tile); });
            });
        }
        add_deferred(tile_row);
    }

private:
    template <class F>
    void lower_tile(std::int64_t tile_row, const TileView<V>& tile) {
        const std::size_t slots_before = slots.size() + row_slots.size();
        const std::size_t entries_before = entries.size();
        const T* values = values_.data() + (tile.values - a_.values.data());
        if constexpr (std::is_same_v<F, formats::DenseRow>) {
            fill_row_slots(tile, values);
        } else {
            fill_slots<F>(tile, values);
        }
        constexpr auto format = static_cast<std::size_t>(formats::id_of<F>);
        const std::size_t in_entries = entries.size() - entries_before;
        shares.entries[format].add(tile_row, in_entries, 0);
        shares.slots[format].add(tile_row, static_cast<std::size_t>(tile.entry.nnz()) - in_entries,
                                 slots.size() + row_slots.size() - slots_before);
    }

    template <class F>
    void fill_slots(const TileView<V>& tile, const T* values) {
        const int most = most_slots<F>(tile.entry);
        const index_t first_column = tile.entry.column() * kTileSize;
        std::array<std::uint8_t, kTileSize> rank{};
        const std::size_t first = slots.size();
        F::walk(tile, [&](int row, int col, int place) {
            const int k = rank[static_cast<std::size_t>(row)]++;
            if (k >= most) return entries.push_back({row, first_column + col, values[place]});
            const std::size_t at = first + static_cast<std::size_t>(k);
            if (at == slots.size()) slots.emplace_back().slot.column = static_cast<std::uint32_t>(first_column);
            slots[at].set(row, values[place]);
            slots[at].set_code(row, col);
        });
        while (slots.size() > first &&
               slots.back().count() < kLeastOfSlot) {  // later ones have no more than earlier ones
            const FilledSlot<T>& last = slots.back();
            last.for_each_lane([&](int row) {
                entries.push_back({row, last.column(row), last.values[static_cast<std::size_t>(row)]});
            });
            slots.pop_back();
        }
    }

    void fill_row_slots(const TileView<V>& tile, const T* values) {
        int last = -1;
        formats::DenseRow::walk(tile, [&](int row, int col, int place) {
            if (row != last) {
                row_slots.emplace_back().slot.column = static_cast<std::uint32_t>(tile.entry.column() * kTileSize);
                row_slots.back().set_code(0, row);
            }
            last = row;
            row_slots.back().set(col, values[place]);
        });
    }

    void add_deferred(std::int64_t tile_row) {
        const DeferredCsr<V>& d = a_.deferred;
        if (d.nnz() == 0) return;
        const std::size_t before = entries.size();
        const offset_t end = d.first_listed((tile_row + 1) * kTileSize);
        for (offset_t k = d.first_listed(tile_row * kTileSize); k < end; ++k) {
            for (offset_t i = d.begin(k); i < d.begin(k + 1); ++i) {
                entries.push_back({static_cast<int>(d.row(k) % kTileSize), d.col_idxs[i], deferred_[i]});
            }
        }
        shares.entries[kDeferredShare].add(tile_row, entries.size() - before, 0);
    }

    const TileMatrix<V>& a_;
    const Buffer<T>& values_;
    const Buffer<T>& deferred_;
};

}  // namespace tilespmv::cuda
