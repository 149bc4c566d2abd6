#include <atomic>
#include <mutex>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/sizes.hpp"
#include "tile/statistics.hpp"

namespace tilespmv {
namespace {

/// Sums per format id over some tiles.
struct FormatSums {
    struct Sums {
        offset_t tiles = 0;
        offset_t tile_rows = 0;
        offset_t nnz = 0;
        offset_t values = 0;
        offset_t index_bytes = 0;
        offset_t mask_bytes = 0;
    };
    std::array<Sums, TileEntry::kMaxFormats> of{};

    /// The k-th listed tile row.
    template <Value V>
    void add_tile_row(const TileMatrix<V>& a, std::int64_t k, std::span<const FormatInfo> formats) {
        const int rows = a.tile_height(a.tile_rows[k]);
        std::uint32_t seen = 0;  // a bit for each format
        for (const TileEntry& e : std::span(a.tiles.data() + a.tile_ptrs[k], a.tiles.data() + a.tile_ptrs[k + 1])) {
            const auto id = static_cast<std::size_t>(e.format());
            if (id >= formats.size())
                throw Error(fmt::format("a tile has format {}, and {} formats are known", id, formats.size()));
            Sums& s = of[id];
            ++s.tiles;
            s.tile_rows += (seen >> e.format() & 1u) == 0;
            seen |= 1u << e.format();
            s.nnz += e.nnz();
            s.values += e.values();
            s.index_bytes += e.index_bytes();
            if (e.nnz() < e.values()) {
                s.mask_bytes += formats[id].mask_bytes(rows, a.tile_width(e.column()), e);
            }
        }
    }
    void add(const FormatSums& o) {
        for (std::size_t i = 0; i < of.size(); ++i) {
            of[i].tiles += o.of[i].tiles;
            of[i].tile_rows += o.of[i].tile_rows;
            of[i].nnz += o.of[i].nnz;
            of[i].values += o.of[i].values;
            of[i].index_bytes += o.of[i].index_bytes;
            of[i].mask_bytes += o.of[i].mask_bytes;
        }
    }
};

template <Value V>
FormatSums sum_formats(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    FormatSums sums;
    std::mutex mutex;
    parallel_ranges(0, static_cast<std::int64_t>(a.tile_rows.size()), 1 << 12,
                    [&](std::int64_t first, std::int64_t last) {
                        FormatSums part;
                        for (auto k = first; k < last; ++k) part.add_tile_row(a, k, formats);
                        const std::lock_guard lock(mutex);
                        sums.add(part);
                    });
    return sums;
}

template <Value V>
std::vector<FormatStatistics> format_statistics(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    const FormatSums sums = sum_formats(a, formats);
    std::vector<FormatStatistics> out;
    for (std::size_t id = 0; id < formats.size(); ++id) {
        const auto& s = sums.of[id];
        out.push_back({.name = formats[id].name,
                       .tiles = s.tiles,
                       .tile_rows = s.tile_rows,
                       .nnz = s.nnz,
                       .padding = s.values - s.nnz,
                       .value_bytes = s.values * offset_t{sizeof(V)},
                       .index_bytes = s.index_bytes,
                       .mask_bytes = s.mask_bytes,
                       .level1_bytes = s.tiles * offset_t{sizeof(TileEntry)}});
    }
    return out;
}

/// Whether the k-th listed row has nonzeros, and none listed before it in its tile row has.
template <Value V>
bool begins_tile_row(const DeferredCsr<V>& d, offset_t k) {
    offset_t first = k;
    while (first > 0 && d.row(first - 1) / kTileSize == d.row(k) / kTileSize) --first;
    return d.begin(k + 1) > d.begin(k) && d.begin(k) == d.begin(first);
}

template <Value V>
DeferredStatistics deferred_statistics(const DeferredCsr<V>& d) {
    const offset_t listed = d.listed_rows();
    std::atomic<offset_t> rows = 0;
    std::atomic<offset_t> tile_rows = 0;
    parallel_ranges(0, listed, kRowGrain, [&](offset_t first, offset_t last) {
        offset_t rows_of_range = 0;
        offset_t tile_rows_of_range = 0;
        for (offset_t k = first; k < last; ++k) {
            rows_of_range += d.begin(k + 1) > d.begin(k);
            tile_rows_of_range += begins_tile_row(d, k);
        }
        rows += rows_of_range;
        tile_rows += tile_rows_of_range;
    });
    return {d.nnz(), rows, tile_rows, static_cast<offset_t>(d.bytes())};
}

template <Value V>
PublishedLayout published_layout(const TileMatrix<V>& a, const TiledStatistics& s) {
    PublishedLayout published;
    published.level1_bytes = (div_up(a.rows, kTileSize) + 1) * 4 + s.tiles * PublishedLayout::kTileBytes;
    published.index_bytes = s.index_bytes;
    for (const auto& f : s.formats) published.index_bytes -= f.mask_bytes;
    published.value_bytes = s.value_bytes;
    if (s.deferred.nnz > 0) {
        published.deferred_bytes = (offset_t{a.rows} + 1) * 4 + s.deferred.nnz * (4 + offset_t{sizeof(V)});
    }
    return published;
}

}  // namespace

template <Value V>
TiledStatistics tiled_statistics(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    validate_sizes(a);
    TiledStatistics s;
    s.tiles = static_cast<offset_t>(a.tiles.size());
    s.formats = format_statistics(a, formats);
    s.level1_bytes = static_cast<offset_t>(a.level1_bytes());
    s.index_bytes = static_cast<offset_t>(a.indices.bytes());
    s.value_bytes = static_cast<offset_t>(a.values.bytes());
    s.deferred = deferred_statistics(a.deferred);
    s.bytes = static_cast<offset_t>(a.bytes());
    s.bytes_per_nnz = share(s.bytes, a.nnz);
    s.published = published_layout(a, s);
    return s;
}

#define TILESPMV_INSTANTIATE(V) \
    template TiledStatistics tiled_statistics(const TileMatrix<V>&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
