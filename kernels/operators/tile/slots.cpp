#include "kernels/operators/tile/slots.hpp"

#include <algorithm>

#include "kernels/operators/tile/cut.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

/// Where the parts of a range begin in the whole.
struct Place {
    std::array<std::size_t, 2> items{};
    std::size_t slots = 0;
    std::size_t values = 0;
    std::size_t entries = 0;
    std::size_t pieces = 0;
    std::uint32_t places = 0;

    template <class T>
    void pass(const SlotRange<T>& r) {
        for (const ItemKind kind : {half_item, warp_item}) items[kind] += r.items[kind].size();
        slots += r.slots.size();
        values += r.values.size();
        entries += r.entry_values.size();
        pieces += r.pieces.pieces.size();
        places += r.pieces.places;
    }
};

template <class T>
void put(const SlotRange<T>& r, const Place& at, bool has_entries, SlotWork<T>& work) {
    std::ranges::copy(r.slots, work.slots.begin() + at.slots);
    std::ranges::copy(r.values, work.values.begin() + at.values);
    std::ranges::copy(r.entry_columns, work.entry_columns.begin() + at.entries);
    std::ranges::copy(r.entry_values, work.entry_values.begin() + at.entries);
    for (const ItemKind kind : {half_item, warp_item}) {
        const std::size_t first = at.items[kind] + (kind == warp_item ? static_cast<std::size_t>(work.half_items) : 0);
        for (std::size_t i = 0; i < r.items[kind].size(); ++i) {
            TileItem& item = work.items[first + i] = r.items[kind][i];
            item.first_value += static_cast<std::int64_t>(at.values);
            item.first_entry += static_cast<std::int64_t>(at.entries);
            item.first_slot += static_cast<std::uint32_t>(at.slots);
            if ((item.target & TileItem::kPiece) != 0) item.target += static_cast<std::uint32_t>(at.pieces);
        }
        if (has_entries) std::ranges::copy(r.ends[kind], work.entry_ends.begin() + first);
    }
    for (std::size_t i = 0; i < r.pieces.pieces.size(); ++i) {
        TilePiece& piece = work.pieces.pieces[at.pieces + i] = r.pieces.pieces[i];
        piece.place += at.places;
        if (piece.next != TilePiece::kNone) piece.next += static_cast<std::int32_t>(at.pieces);
    }
}

template <class T>
SlotWork<T> join(const std::vector<SlotRange<T>>& ranges) {
    std::vector<Place> places(1);
    for (const auto& range : ranges) places.emplace_back(places.back()).pass(range);
    const Place& end = places.back();
    SlotWork<T> work;
    work.half_items = static_cast<offset_t>(end.items[half_item]);
    work.items = Buffer<TileItem>(end.items[half_item] + end.items[warp_item]);
    work.slots = Buffer<Slot>(end.slots + kSpareSlots, Slot{});
    work.values = Buffer<T>(end.values);
    work.entry_columns = Buffer<index_t>(end.entries);
    work.entry_values = Buffer<T>(end.entries);
    work.entry_ends = Buffer<EntryEnds>(end.entries > 0 ? work.items.size() : 0);
    work.pieces.pieces.resize(end.pieces);
    work.pieces.places = end.places;
    work.nnz = static_cast<offset_t>(end.values + end.entries);
    parallel_for(0, static_cast<std::int64_t>(ranges.size()), 1, [&](std::int64_t i) {
        const auto k = static_cast<std::size_t>(i);
        put(ranges[k], places[k], end.entries > 0, work);
    });
    return work;
}

/// What became slots, or entries, in format `f` of all ranges.
template <class T>
LoweredShare sum_of(const std::vector<SlotRange<T>>& ranges, auto LoweredShares::*kind, std::size_t f) {
    LoweredShare sum;
    for (const auto& range : ranges) {
        const LoweredShare& share = (range.shares.*kind)[f];
        sum.tile_rows += share.tile_rows;
        sum.nnz += share.nnz;
        sum.slots += share.slots;
    }
    return sum;
}

/// By format, slots and then entries, with their bytes and those of values of `value_bytes` bytes.
template <class T>
std::vector<ExecutedPart> executed_parts(const std::vector<SlotRange<T>>& ranges, std::size_t value_bytes) {
    std::vector<ExecutedPart> parts;
    for (std::size_t f = 0; f <= kDeferredShare; ++f) {
        const std::string name(f == kDeferredShare ? "deferred" : formats::format_table()[f].name);
        if (f != kDeferredShare) {
            const LoweredShare share = sum_of(ranges, &LoweredShares::slots, f);
            parts.push_back({"slots", name, share.tile_rows, share.nnz,
                             static_cast<std::uint64_t>(share.slots) * sizeof(Slot) +
                                 static_cast<std::uint64_t>(share.nnz) * value_bytes});
        }
        const LoweredShare share = sum_of(ranges, &LoweredShares::entries, f);
        parts.push_back({"csr", name, share.tile_rows, share.nnz,
                         static_cast<std::uint64_t>(share.nnz) * (sizeof(index_t) + value_bytes)});
    }
    return parts;
}

}  // namespace

template <class T, Value V>
SlotWork<T> make_slots(const TileMatrix<V>& a, const Paths& paths, const SlotLimits& limits, const Buffer<T>& values,
                       const Buffer<T>& deferred) {
    constexpr std::int64_t grain = 512;
    const std::int64_t tile_rows = div_up(a.rows, kTileSize);
    std::vector<SlotRange<T>> ranges(static_cast<std::size_t>(div_up(tile_rows, grain)));
    parallel_ranges(0, tile_rows, grain, [&](std::int64_t first, std::int64_t last) {
        Lowering<T, V> lowering(a, values, deferred);
        Cutter<T> cutter(limits);
        const index_t* listed = std::lower_bound(a.tile_rows.begin(), a.tile_rows.end(), first);
        for (std::int64_t t = first; t < last; ++t) {
            const bool has_tiles = listed != a.tile_rows.end() && *listed == t;
            if (paths[static_cast<std::size_t>(t)] == Path::tiles) {
                lowering.lower(t, has_tiles ? listed - a.tile_rows.begin() : -1);
                cutter.add(t, lowering);
            }
            listed += has_tiles;
        }
        cutter.out.shares = lowering.shares;
        ranges[static_cast<std::size_t>(first / grain)] = std::move(cutter.out);
    });
    SlotWork<T> work = join(ranges);
    work.executed = executed_parts(ranges, sizeof(V));
    return work;
}

#define TILESPMV_MAKE_SLOTS(T, V)                                                                            \
    template SlotWork<T> make_slots(const TileMatrix<V>&, const Paths&, const SlotLimits&, const Buffer<T>&, \
                                    const Buffer<T>&);
#define TILESPMV_INSTANTIATE(V)           \
    TILESPMV_MAKE_SLOTS(V, V)             \
    TILESPMV_MAKE_SLOTS(std::uint32_t, V) \
    TILESPMV_MAKE_SLOTS(std::uint64_t, V)
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
