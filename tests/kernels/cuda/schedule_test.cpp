#include "kernels/cuda/schedule.hpp"

#include <gtest/gtest.h>

#include "formats/list.hpp"
#include "kernels/cuda/tile_subset.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tile/error.hpp"

namespace tilespmv::testing {
namespace {

using cuda::Path;
using cuda::Paths;
using cuda::Schedule;
using cuda::ScheduleLimits;

Paths all_by_tiles(index_t rows) { return Paths(static_cast<std::size_t>(div_up(rows, kTileSize)), Path::tiles); }

/// Tiles from `first` on that are not coo.
offset_t wide_tiles(const TileMatrix<double>& a, offset_t first, offset_t end) {
    return std::count_if(a.tiles.begin() + first, a.tiles.begin() + end,
                         [](TileEntry e) { return e.format() != formats::id_of<formats::Coo>; });
}

void expect_covers(const TileMatrix<double>& a, const Schedule& s, const ScheduleLimits& limits) {
    offset_t value = 0;
    offset_t byte = 0;
    offset_t tile = 0;
    std::size_t next = 0;
    offset_t deferred = 0;
    std::int64_t tile_row = -1;
    for (const auto& item : s.items) {
        ASSERT_GE(item.tile_row, tile_row);
        ASSERT_LE(item.tile_row, tile_row + 1) << "every tile row has an item";
        tile_row = item.tile_row;
        offset_t work = item.deferred_count;
        for (std::uint16_t c = 0; c < item.chunk.chunks; ++c) {
            ASSERT_TRUE(c != 1 || item.next_chunk == next);
            const auto& part = c == 0 ? item.chunk : s.chunks.at(next++);
            if (c == 0) {
                ASSERT_EQ(item.first_value, value);
                ASSERT_EQ(item.first_byte, byte);
                ASSERT_EQ(item.first_tile, tile);
            }
            ASSERT_LE(part.values, ScheduleLimits::kChunkValues);
            ASSERT_LE(part.bytes, ScheduleLimits::kChunkBytes);
            ASSERT_LE(part.tiles, ScheduleLimits::kChunkTiles);
            ASSERT_LE(wide_tiles(a, tile, tile + part.tiles), ScheduleLimits::kChunkWideTiles);
            value += part.values;
            byte += part.bytes;
            tile += part.tiles;
            work += part.values;
        }
        EXPECT_LE(work, std::max<offset_t>(limits.item_values, ScheduleLimits::kChunkValues));
        if (item.deferred_count > 0) {
            EXPECT_EQ(item.deferred_base + item.deferred_first, deferred);
            deferred += item.deferred_count;
        }
    }
    EXPECT_EQ(tile_row + 1, div_up(a.rows, kTileSize));
    EXPECT_EQ(next, s.chunks.size());
    EXPECT_EQ(value, static_cast<offset_t>(a.values.size()));
    EXPECT_EQ(byte, static_cast<offset_t>(a.indices.size()));
    EXPECT_EQ(tile, static_cast<offset_t>(a.tiles.size()));
    EXPECT_EQ(deferred, a.deferred.nnz());
}

void expect_slots(const Schedule& s) {
    std::vector<std::uint32_t> seen(s.splits.size(), 0);
    for (std::size_t i = 0; i < s.items.size(); ++i) {
        const auto& item = s.items[i];
        const bool alone = (i == 0 || s.items[i - 1].tile_row != item.tile_row) &&
                           (i + 1 == s.items.size() || s.items[i + 1].tile_row != item.tile_row);
        ASSERT_EQ(item.slot < 0, alone);
        if (alone) continue;
        const auto& split = s.splits.at(static_cast<std::size_t>(item.split));
        EXPECT_EQ(static_cast<std::uint32_t>(item.slot),
                  split.first_slot + seen[static_cast<std::size_t>(item.split)]++);
    }
    for (std::size_t i = 0; i < s.splits.size(); ++i) EXPECT_EQ(seen[i], s.splits[i].slots);
}

TEST(TileSchedule, CoversEveryTileAndDeferredNonzeroOnceInOrder) {
    for (const auto& info : selectors()) {
        for (const auto& [name, csr] : matrix_battery()) {
            SCOPED_TRACE(std::string(info.name) + ' ' + name);
            const auto a = convert(csr, *make_policy(info.name));
            for (const offset_t values : {1, 100, 600, 4096}) {
                const ScheduleLimits limits{values};
                const auto s = cuda::make_schedule(a, all_by_tiles(a.rows), limits);
                expect_covers(a, s, limits);
                expect_slots(s);
            }
        }
    }
}

TEST(TileSchedule, DeferredEndsAreRelativeToTheTileRow) {
    const auto a =
        convert(matrix_of(40, 40, {{1, 0}, {1, 30}, {3, 3}, {20, 1}, {39, 39}}), *make_policy("paper-deferred"));
    const auto s = cuda::make_schedule(a, all_by_tiles(a.rows), ScheduleLimits{});
    const std::vector<std::uint32_t> first{0, 2, 2, 3};
    EXPECT_TRUE(std::equal(first.begin(), first.end(), s.deferred_ends.begin()));
    EXPECT_EQ(s.deferred_ends[15], 3u);
    EXPECT_EQ(s.deferred_ends[16], 0u);
    EXPECT_EQ(s.deferred_ends[20], 1u);
    EXPECT_EQ(s.deferred_ends[39], 1u);
    EXPECT_EQ(s.items[1].deferred_base, 3);
}

TEST(TileSchedule, LeavesOutOtherPaths) {
    const auto a = convert(matrix_of(64, 64, {{0, 0}, {20, 1}, {63, 63}}), *make_policy("paper"));
    const Paths paths{Path::csr16, Path::tiles, Path::dense, Path::csr16};
    const auto s = cuda::make_schedule(cuda::subset(a, paths, Path::tiles).matrix, paths, ScheduleLimits{});
    ASSERT_EQ(s.items.size(), 1u);
    EXPECT_EQ(s.items[0].tile_row, 1u);
    EXPECT_EQ(s.items[0].chunk.values, 1u);
}

TEST(TileSchedule, RefusesMoreDeferredNonzerosOfATileRowThan32BitsCount) {
    const auto with_nonzeros = [](std::uint64_t n) {
        TileMatrix<double> a;
        a.rows = a.cols = 20;
        a.deferred.row_ids = {2, 17};
        a.deferred.row_ptrs64 = {0, n, n + 3};
        a.deferred.col_idxs = {0};
        return a;
    };
    const ScheduleLimits limits{offset_t{1} << 40};
    constexpr auto most = (std::uint64_t{1} << 32) - 1;
    EXPECT_EQ(cuda::make_schedule(with_nonzeros(most), all_by_tiles(20), limits).deferred_ends[15], most);
    try {
        (void)cuda::make_schedule(with_nonzeros(most + 1), all_by_tiles(20), limits);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "rows 0 to 15 hold 4294967296 deferred nonzeros, at most 2^32 - 1 can be scheduled");
    }
}

TEST(TileSchedule, LimitsFollowTheMatrix) {
    EXPECT_EQ(cuda::limits_for(1000, 4224).item_values, 1024);
    EXPECT_EQ(cuda::limits_for(20'000'000, 4224).item_values, 20'000'000 / (4224 * 2));
    EXPECT_EQ(cuda::limits_for(10'000'000'000, 4224).item_values, 8192);
}

}  // namespace
}  // namespace tilespmv::testing
