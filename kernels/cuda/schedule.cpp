#include "kernels/cuda/schedule.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "formats/list.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

/// Cuts the tile rows one after the other, with the deferred rows keeping pace.
template <Value V>
class Scheduler {
public:
    Scheduler(const TileMatrix<V>& a, const Paths& paths, const ScheduleLimits& limits)
        : a_(a), paths_(paths), limits_(limits) {}

    Schedule run() {
        const auto tile_rows = div_up(a_.rows, kTileSize);
        if (a_.deferred.nnz() > 0) s_.deferred_ends.resize(static_cast<std::size_t>(a_.rows));
        for (std::int64_t t = 0; t < tile_rows; ++t) {
            if (paths_[static_cast<std::size_t>(t)] == Path::tiles) add_tile_row(static_cast<std::uint32_t>(t));
        }
        return std::move(s_);
    }

private:
    void add_tile_row(std::uint32_t t) {
        const std::size_t first = s_.items.size();
        item_ = WorkItem{};
        item_.tile_row = t;
        work_ = 0;
        if (listed_ < a_.tile_rows.size() && static_cast<std::uint32_t>(a_.tile_rows[listed_]) == t) add_tiles();
        add_deferred(t);
        s_.items.push_back(item_);
        if (s_.items.size() - first > 1) split(first);
    }

    void add_tiles() {
        next_value_ = a_.value_ptrs[listed_];
        next_byte_ = a_.index_ptrs[listed_];
        next_tile_ = a_.tile_ptrs[listed_];
        TileChunk chunk;
        int wide = 0;
        for (offset_t k = a_.tile_ptrs[listed_]; k < a_.tile_ptrs[listed_ + 1]; ++k) {
            const TileEntry entry = a_.tiles[k];
            const int is_wide = entry.format() != formats::id_of<formats::Coo>;
            if (!fits(chunk, entry) || wide + is_wide > ScheduleLimits::kChunkWideTiles) {
                close(chunk);
                chunk = TileChunk{};
                wide = 0;
            }
            wide += is_wide;
            chunk.values = static_cast<std::uint16_t>(chunk.values + entry.values());
            chunk.bytes = static_cast<std::uint16_t>(chunk.bytes + entry.index_bytes());
            ++chunk.tiles;
        }
        close(chunk);
        ++listed_;
    }

    static bool fits(const TileChunk& chunk, TileEntry entry) {
        return chunk.values + entry.values() <= ScheduleLimits::kChunkValues &&
               chunk.bytes + entry.index_bytes() <= ScheduleLimits::kChunkBytes &&
               chunk.tiles < ScheduleLimits::kChunkTiles;
    }

    /// Adds a chunk to the item, or to a new one if this has enough.
    void close(const TileChunk& chunk) {
        if (work_ > 0 && work_ + chunk.values > limits_.item_values) next_item();
        add_to_item(chunk);
        work_ += chunk.values;
        next_value_ += chunk.values;
        next_byte_ += chunk.bytes;
        next_tile_ += chunk.tiles;
    }

    void add_to_item(const TileChunk& chunk) {
        const auto before = item_.chunk.chunks;
        if (before == 0) {
            item_.first_value = next_value_;
            item_.first_byte = next_byte_;
            item_.first_tile = next_tile_;
            item_.chunk = chunk;
            item_.next_chunk = static_cast<std::uint32_t>(s_.chunks.size());
        } else {
            s_.chunks.push_back(chunk);
        }
        item_.chunk.chunks = static_cast<std::uint16_t>(before + 1);
    }

    void add_deferred(std::uint32_t t) {
        if (s_.deferred_ends.empty()) return;
        const std::int64_t row0 = std::int64_t{t} * kTileSize;
        const std::int64_t end_row = std::min<std::int64_t>(row0 + kTileSize, a_.rows);
        const offset_t base = a_.deferred.begin(row_);
        for (std::int64_t r = row0; r < end_row; ++r) {
            if (row_ < a_.deferred.listed_rows() && a_.deferred.row(row_) == r) ++row_;
            const offset_t end = a_.deferred.begin(row_) - base;
            if (end > std::numeric_limits<std::uint32_t>::max()) {
                throw Error(fmt::format("rows {} to {} hold {} deferred nonzeros, at most 2^32 - 1 can be scheduled",
                                        row0, end_row - 1, end));
            }
            s_.deferred_ends[static_cast<std::size_t>(r)] = static_cast<std::uint32_t>(end);
        }
        item_.deferred_base = base;
        const offset_t count = a_.deferred.begin(row_) - base;
        for (offset_t p = 0; p < count;) {
            if (work_ >= limits_.item_values) next_item();
            const offset_t take = std::min(count - p, limits_.item_values - work_);
            item_.deferred_first = static_cast<std::uint32_t>(p);
            item_.deferred_count = static_cast<std::uint32_t>(take);
            work_ += take;
            p += take;
        }
    }

    void next_item() {
        s_.items.push_back(item_);
        item_.chunk = TileChunk{};
        item_.deferred_first = item_.deferred_count = 0;
        work_ = 0;
    }

    void split(std::size_t first) {
        SplitRow row{s_.slots, static_cast<std::uint32_t>(s_.items.size() - first)};
        for (std::size_t i = first; i < s_.items.size(); ++i) {
            s_.items[i].slot = static_cast<std::int32_t>(s_.slots++);
            s_.items[i].split = static_cast<std::int32_t>(s_.splits.size());
        }
        s_.splits.push_back(row);
    }

    const TileMatrix<V>& a_;
    const Paths& paths_;
    ScheduleLimits limits_;
    Schedule s_;
    WorkItem item_;
    offset_t work_ = 0;        // values in item_
    offset_t next_value_ = 0;  // first value, index byte and tile that no chunk has
    offset_t next_byte_ = 0;
    offset_t next_tile_ = 0;
    std::size_t listed_ = 0;  // next listed tile row
    offset_t row_ = 0;        // next listed deferred row
};

}  // namespace

ScheduleLimits limits_for(offset_t work, offset_t warps) {
    constexpr offset_t items_per_warp = 2;
    ScheduleLimits limits;
    limits.item_values = std::clamp<offset_t>(work / (warps * items_per_warp), 1024, 8192);
    return limits;
}

template <Value V>
Schedule make_schedule(const TileMatrix<V>& a, const Paths& paths, const ScheduleLimits& limits) {
    return Scheduler<V>(a, paths, limits).run();
}

#define TILESPMV_INSTANTIATE(V) \
    template Schedule make_schedule(const TileMatrix<V>&, const Paths&, const ScheduleLimits&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
