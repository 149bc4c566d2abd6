#include "kernels/executed.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "formats/list.hpp"
#include "tile/parallel.hpp"
#include "tile/statistics.hpp"

namespace tilespmv {
namespace {

/// Adds bytes to parts in proportion to their nonzeros; what is given up to each part is rounded down, so that the sum
/// is exact. There must be a nonzero.
void spread(std::vector<ExecutedPart>& parts, std::uint64_t bytes) {
    offset_t all = 0;
    for (const auto& part : parts) all += part.nnz;
    offset_t nnz = 0;
    std::uint64_t given = 0;
    for (auto& part : parts) {
        nnz += part.nnz;
        const auto due = static_cast<std::uint64_t>(static_cast<double>(bytes) * share(nnz, all));
        part.bytes += due - given;
        given = due;
    }
}

}  // namespace

offset_t occupied_tile_rows(std::span<const offset_t> row_ptrs, index_t first, index_t end) {
    constexpr std::int64_t grain = 1 << 14;
    const std::int64_t tile_rows = div_up(std::int64_t{end} - first, kTileSize);
    std::atomic<offset_t> occupied = 0;
    parallel_ranges(0, tile_rows, grain, [&](std::int64_t begin, std::int64_t behind) {
        offset_t of_range = 0;
        for (std::int64_t t = begin; t < behind; ++t) {
            const std::int64_t row = first + t * kTileSize;
            const std::int64_t next = std::min<std::int64_t>(row + kTileSize, end);
            of_range += row_ptrs[static_cast<std::size_t>(next)] > row_ptrs[static_cast<std::size_t>(row)];
        }
        occupied += of_range;
    });
    return occupied;
}

std::vector<ExecutedPart> executed_whole(std::string_view representation, offset_t tile_rows, offset_t nnz,
                                         std::uint64_t bytes) {
    if (nnz == 0) return {};
    return {{std::string(representation), "", tile_rows, nnz, bytes}};
}

template <Value V>
std::vector<ExecutedPart> executed_tiles(const TileMatrix<V>& a, std::uint64_t deferred_bytes) {
    const TiledStatistics statistics = tiled_statistics(a, formats::format_table());
    std::vector<ExecutedPart> parts;
    for (const auto& f : statistics.formats) {
        parts.push_back({"tiles", std::string(f.name), f.tile_rows, f.nnz, static_cast<std::uint64_t>(f.bytes())});
    }
    const auto& deferred = statistics.deferred;
    parts.push_back({"csr", "deferred", deferred.tile_rows, deferred.nnz, deferred_bytes});
    return parts;
}

template <Value V>
std::vector<ExecutedPart> executed_tiles(const TileMatrix<V>& a) {
    auto tiled = executed_tiles(a, a.deferred.bytes());
    for (std::size_t id = 0; id < formats::kVectorRoutines.size(); ++id) {
        if (!formats::kVectorRoutines[id]) tiled[id].representation = "walked";
    }
    ExecutedParts parts;
    parts.add(tiled, a.level1_bytes() - a.tiles.bytes());
    return parts.finish();
}

void ExecutedParts::add(const std::vector<ExecutedPart>& parts, std::uint64_t shared_bytes) {
    std::vector<ExecutedPart> used;
    for (const auto& part : parts) {
        if (part.nnz > 0) {
            used.push_back(part);
        } else {
            shared_bytes += part.bytes;
        }
    }
    if (used.empty()) {
        left_over_ += shared_bytes;
        return;
    }
    spread(used, shared_bytes);
    for (const auto& part : used) merge(part);
}

std::vector<ExecutedPart> ExecutedParts::finish() {
    if (!parts_.empty()) spread(parts_, left_over_);
    return std::move(parts_);
}

void ExecutedParts::merge(const ExecutedPart& part) {
    const auto same = std::ranges::find_if(parts_, [&](const ExecutedPart& known) {
        return known.representation == part.representation && known.format == part.format;
    });
    if (same == parts_.end()) {
        parts_.push_back(part);
        return;
    }
    same->tile_rows += part.tile_rows;
    same->nnz += part.nnz;
    same->bytes += part.bytes;
}

#define TILESPMV_INSTANTIATE(V)                                                             \
    template std::vector<ExecutedPart> executed_tiles(const TileMatrix<V>&, std::uint64_t); \
    template std::vector<ExecutedPart> executed_tiles(const TileMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
