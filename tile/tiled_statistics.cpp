#include "tile/parallel.hpp"
#include "tile/statistics.hpp"

namespace tilespmv {
namespace {

/// Sums per format id over some tiles.
struct FormatSums {
    struct Sums {
        offset_t tiles = 0;
        offset_t nnz = 0;
        offset_t values = 0;
        offset_t index_bytes = 0;
    };
    std::array<Sums, TileEntry::kMaxFormats> of{};

    void add(const TileEntry& e) {
        Sums& s = of[static_cast<std::size_t>(e.format())];
        ++s.tiles;
        s.nnz += e.nnz();
        s.values += e.values();
        s.index_bytes += e.index_bytes();
    }
    void add(const FormatSums& o) {
        for (std::size_t i = 0; i < of.size(); ++i) {
            of[i].tiles += o.of[i].tiles;
            of[i].nnz += o.of[i].nnz;
            of[i].values += o.of[i].values;
            of[i].index_bytes += o.of[i].index_bytes;
        }
    }
};

FormatSums sum_formats(const Buffer<TileEntry>& tiles) {
    FormatSums sums;
    parallel_ranges(0, static_cast<std::int64_t>(tiles.size()), 1 << 16, [&](std::int64_t first, std::int64_t last) {
        FormatSums part;
        for (auto t = first; t < last; ++t) part.add(tiles[t]);
#pragma omp critical(tilespmv_sum_formats)
        sums.add(part);
    });
    return sums;
}

template <Value V>
std::vector<FormatStatistics> format_statistics(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    const FormatSums sums = sum_formats(a.tiles);
    std::vector<FormatStatistics> out;
    for (std::size_t id = 0; id < formats.size(); ++id) {
        const auto& s = sums.of[id];
        out.push_back({.name = formats[id].name,
                       .tiles = s.tiles,
                       .nnz = s.nnz,
                       .padding = s.values - s.nnz,
                       .value_bytes = s.values * offset_t{sizeof(V)},
                       .index_bytes = s.index_bytes,
                       .level1_bytes = s.tiles * offset_t{sizeof(TileEntry)}});
    }
    return out;
}

template <Value V>
DeferredStatistics deferred_statistics(const DeferredCsr<V>& d) {
    const offset_t listed = d.listed_rows();
    offset_t rows = 0;
#pragma omp parallel for reduction(+ : rows)
    for (offset_t k = 0; k < listed; ++k) rows += d.begin(k + 1) > d.begin(k);
    return {d.nnz(), rows, static_cast<offset_t>(d.bytes())};
}

}  // namespace

template <Value V>
TiledStatistics tiled_statistics(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    TiledStatistics s;
    s.tiles = static_cast<offset_t>(a.tiles.size());
    s.formats = format_statistics(a, formats);
    s.level1_bytes = static_cast<offset_t>(a.level1_bytes());
    s.index_bytes = static_cast<offset_t>(a.indices.bytes());
    s.value_bytes = static_cast<offset_t>(a.values.bytes());
    s.deferred = deferred_statistics(a.deferred);
    s.bytes = static_cast<offset_t>(a.bytes());
    s.bytes_per_nnz = share(s.bytes, a.nnz);
    return s;
}

#define TILESPMV_INSTANTIATE(V) \
    template TiledStatistics tiled_statistics(const TileMatrix<V>&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
