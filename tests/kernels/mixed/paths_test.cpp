#include "kernels/mixed/choose_paths.hpp"

#include <gtest/gtest.h>

#include "kernels/cuda/dense_runs.hpp"
#include "kernels/cuda/tile_subset.hpp"
#include "kernels/mixed/mixed_work.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

using cuda::Path;
using cuda::Paths;

/// `tiles` full tiles side by side in each of `rows` / 16 tile rows.
CsrMatrix<double> blocks(index_t rows, index_t tiles) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < rows; ++r) {
        for (index_t c = 0; c < tiles * kTileSize; ++c) positions.insert({r, c});
    }
    return matrix_of(rows, tiles * kTileSize, positions);
}

std::set<std::pair<index_t, index_t>> positions_of(const CsrMatrix<double>& a) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < a.rows; ++r) {
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) positions.insert({r, a.col_idxs[k]});
    }
    return positions;
}

TEST(Paths, FullDenseTileRowsAreDense) {
    const auto full = convert(blocks(32, 3), *make_policy("paper"));
    EXPECT_EQ(cuda::choose_paths(full), Paths(2, Path::dense));
    const auto low = convert(blocks(30, 3), *make_policy("paper"));
    EXPECT_EQ(cuda::choose_paths(low), (Paths{Path::dense, Path::csr16})) << "14 rows";
    const auto in_ell = convert(blocks(32, 3), *make_policy("only:ell"));
    EXPECT_EQ(cuda::choose_paths(in_ell), Paths(2, Path::csr16)) << "not in dense format";
}

TEST(Paths, ADenseTileRowWithADeferredNonzeroIsNotDense) {
    auto positions = positions_of(blocks(48, 3));
    positions.insert({20, 100});
    const auto a = convert(matrix_of(48, 128, positions), *make_policy("paper-deferred"));
    ASSERT_EQ(a.deferred.nnz(), 1);
    EXPECT_EQ(cuda::choose_paths(a), (Paths{Path::dense, Path::csr16, Path::dense}));
    EXPECT_EQ(cuda::choose_paths(a, 0), (Paths{Path::dense, Path::tiles, Path::dense}));
}

TEST(Paths, TileByTileWhereFormatsSaveBytesAndThereIsEnoughOfIt) {
    const auto ell = convert(blocks(32, 3), *make_policy("only:ell"));
    EXPECT_EQ(cuda::choose_paths(ell, 32 * 48), Paths(2, Path::tiles));
    EXPECT_EQ(cuda::choose_paths(ell, 32 * 48 + 1), Paths(2, Path::csr16));
}

TEST(Paths, SmallTilesAndEmptyTileRowsAreCsr16) {
    const auto a = convert(matrix_of(64, 64, {{0, 0}, {1, 1}, {40, 2}}), *make_policy("paper"));
    EXPECT_EQ(cuda::choose_paths(a, 0), Paths(4, Path::csr16));
}

TEST(Paths, ByFormatKnowsNoCsr16) {
    const auto full = convert(blocks(32, 3), *make_policy("paper"));
    EXPECT_EQ(cuda::paths_by_format(full), Paths(2, Path::dense));
    const auto small = convert(matrix_of(64, 64, {{0, 0}, {1, 1}, {40, 2}}), *make_policy("paper"));
    EXPECT_EQ(cuda::paths_by_format(small), Paths(4, Path::tiles));
}

/// The nonzeros of the tile rows that have this path.
CsrMatrix<double> rows_of(const CsrMatrix<double>& a, const Paths& paths, Path path) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < a.rows; ++r) {
        if (paths[static_cast<std::size_t>(r / kTileSize)] != path) continue;
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) positions.insert({r, a.col_idxs[k]});
    }
    auto rows = matrix_of(a.rows, a.cols, positions);
    offset_t next = 0;
    for (index_t r = 0; r < a.rows; ++r) {
        if (paths[static_cast<std::size_t>(r / kTileSize)] != path) continue;
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) rows.values[next++] = a.values[k];
    }
    return rows;
}

TEST(TileSubset, IsTheTileRowsOfItsPath) {
    for (const char* selector : {"paper", "paper-deferred", "only:hyb"}) {
        for (const auto& [name, a] : matrix_battery()) {
            SCOPED_TRACE(std::string(selector) + ' ' + name);
            const auto m = convert(a, *make_policy(selector));
            Paths paths(static_cast<std::size_t>(div_up(a.rows, kTileSize)), Path::csr16);
            for (std::size_t t = 0; t < paths.size(); t += 2) paths[t] = Path::tiles;
            for (const Path path : {Path::csr16, Path::tiles, Path::dense}) {
                const auto part = cuda::subset(m, paths, path);
                EXPECT_EQ(unpack(part.matrix), rows_of(a, paths, path));
                EXPECT_EQ(part.matrix.nnz, rows_of(a, paths, path).nnz());
                EXPECT_EQ(part.matrix.values, cuda::take(m.values, part.values));
                EXPECT_EQ(part.matrix.deferred.values, cuda::take(m.deferred.values, part.deferred));
            }
        }
    }
}

/// Every run of a tile row that is cut has a slot of its own, and all of them are those of its split, in order.
void expect_slots(const cuda::DenseRuns& d) {
    std::vector<std::uint32_t> seen(d.splits.size(), 0);
    for (const auto& run : d.runs) {
        ASSERT_EQ(run.slot >= 0, run.split >= 0);
        if (run.slot < 0) continue;
        const auto split = static_cast<std::size_t>(run.split);
        EXPECT_EQ(static_cast<std::uint32_t>(run.slot), d.splits.at(split).first_slot + seen[split]++);
    }
    std::uint32_t slots = 0;
    for (std::size_t i = 0; i < d.splits.size(); ++i) {
        EXPECT_EQ(seen[i], d.splits[i].slots);
        EXPECT_EQ(d.splits[i].first_slot, slots);
        slots += d.splits[i].slots;
    }
    EXPECT_EQ(d.slots, slots);
}

TEST(DenseRuns, CoverTheTilesOfATileRowInOrder) {
    constexpr offset_t limit = 4;
    for (const index_t tiles : {1, 4, 5, 19}) {
        const auto m = convert(blocks(32, tiles), *make_policy("paper"));
        const auto d = cuda::make_dense_runs(m, limit);
        offset_t next = 0;
        for (const auto& run : d.runs) {
            EXPECT_EQ(run.first_tile, next);
            EXPECT_EQ(run.tile_row, next / tiles);
            EXPECT_LE(run.tiles, limit);
            EXPECT_EQ(run.slot >= 0, tiles > limit);
            next += run.tiles;
        }
        EXPECT_EQ(next, static_cast<offset_t>(m.tiles.size()));
        expect_slots(d);
    }
}

// A dense tile row, one of ell and one of scattered nonzeros, as the GPU takes them.
TEST(MixedWork, TakesAMatrixApartByThePathsOfItsTileRows) {
    auto positions = positions_of(blocks(32, 3));
    for (index_t r = 32; r < 48; ++r) positions.insert({r, r});
    const auto a = matrix_of(48, 48, positions);
    const auto m = convert(a, *make_policy("paper"));
    const Paths paths{Path::dense, Path::tiles, Path::csr16};
    const auto work = cuda::take_apart(a, m, paths, {.multiprocessors = 1, .warps = 2});
    EXPECT_EQ(unpack(work.tiled.dense.matrix), rows_of(a, paths, Path::dense));
    EXPECT_EQ(unpack(work.tiled.tiles.matrix), rows_of(a, paths, Path::tiles));
    EXPECT_EQ(work.csr16_values, rows_of(a, paths, Path::csr16).values);
    EXPECT_EQ(work.values_of_csr16(a), work.csr16_values);
    EXPECT_EQ(work.tiled.dense_runs.runs.size(), 1u);
    EXPECT_EQ(work.tiled.schedule.items.size(), 1u);
    EXPECT_EQ(work.csr16.nonzeros, 16);
    EXPECT_EQ(work.csr16.blocks.size(), 1u);
}

TEST(MixedWork, KeepsNoCopyOfTheValuesIfAllIsCsr16) {
    const auto a = matrix_of(20, 20, {{0, 3}, {19, 19}});
    const auto m = convert(a, *make_policy("paper"));
    const auto work = cuda::take_apart(a, m, Paths(2, Path::csr16), {.multiprocessors = 1, .warps = 2});
    EXPECT_TRUE(work.csr16_values.empty());
    EXPECT_EQ(work.values_of_csr16(a), a.values);
    EXPECT_TRUE(work.tiled.dense_runs.runs.empty());
    EXPECT_TRUE(work.tiled.schedule.items.empty());
}

// The work of csr16, not of the whole matrix, says how it is cut.
TEST(MixedWork, CutsCsr16ByItsOwnNonzeros) {
    auto positions = positions_of(blocks(16, 32));
    for (index_t r = 16; r < 272; ++r) positions.insert({r, r});
    const auto a = matrix_of(272, 512, positions);
    const auto m = convert(a, *make_policy("paper"));
    Paths paths(17, Path::csr16);
    paths[0] = Path::dense;
    const auto work = cuda::take_apart(a, m, paths, {.multiprocessors = 1, .warps = 2});
    EXPECT_EQ(work.csr16.blocks.size(), 2u) << "256 nonzeros, 128 a block";
}

TEST(DenseRuns, AreLongEnoughForOneWaveOfBlocks) {
    EXPECT_EQ(cuda::dense_run_tiles(100, 132), 8);
    EXPECT_EQ(cuda::dense_run_tiles(65536, 132), 16);
    EXPECT_EQ(cuda::dense_run_tiles(100'000'000, 132), 64);
}

}  // namespace
}  // namespace tilespmv::testing
