#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "formats/convert.hpp"
#include "kernels/auto/machine_ranking.hpp"
#include "tile/statistics.hpp"
#include "tools/bindings/matrix.hpp"
#include "tools/bindings/stream_order.hpp"

namespace tilespmv::bindings {

/// Every tile of a matrix, by tile rows.
template <Value V>
std::vector<TileRecord> tile_records(const TileMatrix<V>& a) {
    std::vector<TileRecord> records;
    records.reserve(a.tiles.size());
    for (std::size_t k = 0; k < a.tile_rows.size(); ++k) {
        for_each_tile(a, static_cast<offset_t>(k), [&](const TileView<V>& tile) {
            const TileEntry e = tile.entry;
            const auto bytes = sizeof(TileEntry) + static_cast<std::size_t>(e.values()) * sizeof(V) +
                               static_cast<std::size_t>(e.index_bytes());
            records.push_back({a.tile_rows[k], e.column(), e.nnz(), static_cast<std::int32_t>(bytes), e.format()});
        });
    }
    return records;
}

/// What `auto` can take of a matrix there, from the fastest one on.
template <Value V>
std::vector<Candidate> candidates_for(const CsrMatrix<V>& a, Backend backend) {
    PatternView pattern = pattern_of(a);
    pattern.sum_bytes = accumulator_bytes(default_accumulator<V>());
    std::vector<Candidate> all;
    for (const RankedOperator& one : rank_on_this_machine<V>(pattern, backend)) {
        all.push_back({one.specification, one.seconds, one.preparation_seconds, why(one, a.nnz())});
    }
    return all;
}

/// Of a matrix and its tiles, each with the name that users see.
template <Value V>
std::vector<std::pair<std::string, double>> named_statistics(const CsrMatrix<V>& a, const TileMatrix<V>& tiles) {
    const MatrixStatistics m = matrix_statistics(a);
    const TiledStatistics t = tiled_statistics(tiles, formats::format_table());
    std::vector<std::pair<std::string, double>> all{
        {"rows", m.rows},
        {"cols", m.cols},
        {"nnz", m.nnz},
        {"row_length_mean", m.row_length.mean},
        {"row_length_max", m.row_length.max},
        {"row_length_variation", m.row_length.variation},
        {"empty_rows", m.empty_rows},
        {"tiles", m.grid.tiles},
        {"nnz_per_tile_mean", m.grid.mean},
        {"nnz_per_tile_median", m.grid.median},
        {"csr_bytes", m.csr_bytes},
        {"tiled_bytes", t.bytes},
        {"tiled_bytes_per_nnz", t.bytes_per_nnz},
        {"deferred_nnz", t.deferred.nnz},
    };
    for (const FormatStatistics& f : t.formats) {
        all.emplace_back(fmt::format("format_{}_tiles", f.name), f.tiles);
        all.emplace_back(fmt::format("format_{}_nnz", f.name), f.nnz);
        all.emplace_back(fmt::format("format_{}_bytes", f.name), f.bytes());
    }
    return all;
}

}  // namespace tilespmv::bindings
