#include "kernels/operators/tile/full_tiles.hpp"

#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/tile_rows.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using FullTiles = OnDevice;

struct FoundTiles {
    Buffer<offset_t> tile_ptrs;
    Buffer<TileEntry> tiles;
};

/// Those that are found on the GPU.
std::optional<FoundTiles> full_tiles(const CsrMatrix<double>& a) {
    const MatrixOnGpu<offset_t> there(a);
    const auto full = cuda::full_tiles(a.rows, a.nnz(), there.row_ptrs.data(), there.col_idxs.data(), nullptr);
    if (!full) return std::nullopt;
    FoundTiles found{Buffer<offset_t>(full->tile_ptrs.size()), Buffer<TileEntry>(full->tiles.size())};
    cuda::copy_to_host(found.tile_ptrs.data(), full->tile_ptrs.data(), found.tile_ptrs.bytes(), nullptr);
    cuda::copy_to_host(found.tiles.data(), full->tiles.data(), found.tiles.bytes(), nullptr);
    EXPECT_EQ(found.tile_ptrs, full->tile_ptrs_on_host);
    EXPECT_EQ(full->tile_rows(), a.rows / kTileSize);
    return found;
}

TEST_F(FullTiles, AreThoseOfAConversion) {
    for (const char* specification :
         {"block-dense:n=320,block=16,blocks_per_row=3", "dense:rows=48,cols=80", "dense:rows=16,cols=16"}) {
        SCOPED_TRACE(specification);
        const auto a = generate<double>(specification);
        const auto full = full_tiles(a);
        ASSERT_TRUE(full);
        const auto tiles = convert(a, *make_policy("paper"));
        EXPECT_EQ(full->tiles, tiles.tiles);
        EXPECT_EQ(full->tile_ptrs, tiles.tile_ptrs);
    }
}

TEST_F(FullTiles, AreOfAnyNumberInEachTileRow) {
    auto positions = positions_of(blocks(16, 3));
    for (index_t r = 16; r < 32; ++r) {
        for (index_t c = 64; c < 80; ++c) positions.insert({r, c});
    }
    const auto full = full_tiles(matrix_of(32, 80, positions));
    ASSERT_TRUE(full);
    EXPECT_EQ(full->tile_ptrs, (Buffer<offset_t>{0, 3, 4}));
    ASSERT_EQ(full->tiles.size(), 4U);
    EXPECT_EQ(full->tiles[2].column(), 2);
    EXPECT_EQ(full->tiles[3].column(), 4);
}

/// `blocks(48, 4)` with a nonzero in another place.
CsrMatrix<double> with_moved(std::pair<index_t, index_t> from, std::pair<index_t, index_t> to) {
    auto positions = positions_of(blocks(48, 4));
    positions.erase(from);
    positions.insert(to);
    return matrix_of(48, 80, positions);
}

TEST_F(FullTiles, AreNoneWhereATileIsNot) {
    EXPECT_TRUE(full_tiles(with_moved({5, 5}, {5, 5})));
    EXPECT_FALSE(full_tiles(with_moved({5, 5}, {5, 70}))) << "within a tile of a row";
    EXPECT_FALSE(full_tiles(with_moved({5, 16}, {5, 70}))) << "its first column";
    EXPECT_FALSE(full_tiles(with_moved({47, 63}, {47, 64}))) << "the last nonzero of all";
    EXPECT_FALSE(full_tiles(with_moved({5, 5}, {21, 70}))) << "two lengths";
}

TEST_F(FullTiles, AreNoneWhereTilesBeginBetweenTheirs) {
    std::set<std::pair<index_t, index_t>> positions;
    for (const auto& [r, c] : positions_of(blocks(16, 2))) positions.insert({r, c + 8});
    EXPECT_FALSE(full_tiles(matrix_of(16, 64, positions)));
    auto behind = positions_of(blocks(16, 2));
    for (index_t r = 0; r < 16; ++r) {
        for (index_t c = 0; c < 16; ++c) behind.erase({r, c});
    }
    EXPECT_TRUE(full_tiles(matrix_of(16, 64, behind)));
    behind.erase({5, 16});
    behind.insert({5, 3});
    EXPECT_FALSE(full_tiles(matrix_of(16, 64, behind))) << "one column is before them";
    std::set<std::pair<index_t, index_t>> shifted;
    for (const auto& [r, c] : positions_of(blocks(16, 1))) shifted.insert({r, c + r / 8 * 16});
    EXPECT_FALSE(full_tiles(matrix_of(16, 64, shifted))) << "half of the rows have another tile";
}

TEST_F(FullTiles, AreNoneWhereRowsDifferInLength) {
    auto positions = positions_of(blocks(16, 2));
    for (index_t c = 16; c < 32; ++c) {
        positions.erase({3, c});
        positions.insert({4, 16 + c});
    }
    EXPECT_FALSE(full_tiles(matrix_of(16, 64, positions)));
    for (index_t c = 16; c < 32; ++c) positions.erase({8, c});
    EXPECT_FALSE(full_tiles(matrix_of(16, 64, positions))) << "fewer than the first row says";
    auto longer = positions_of(blocks(16, 1));
    for (index_t c = 16; c < 272; ++c) longer.insert({15, c});
    EXPECT_FALSE(full_tiles(matrix_of(16, 272, longer))) << "whole tiles by their number";
    std::set<std::pair<index_t, index_t>> half;
    for (index_t r = 0; r < 32; ++r) {
        for (const index_t c : {0, 1, 2, 3, 4, 5, 6, 15}) half.insert({r, c});
    }
    EXPECT_FALSE(full_tiles(matrix_of(32, 16, half))) << "two rows look like one";
}

TEST_F(FullTiles, AreNoneOfTileRowsThatAreEmptyOrCut) {
    EXPECT_FALSE(full_tiles(matrix_of(32, 16, positions_of(blocks(16, 1)))));
    EXPECT_FALSE(full_tiles(matrix_of(15, 16, {})));
    EXPECT_FALSE(full_tiles(generate<double>("dense:rows=15,cols=16")));
    EXPECT_FALSE(full_tiles(generate<double>("dense:rows=31,cols=256")));
    EXPECT_FALSE(full_tiles(generate<double>("dense:rows=16,cols=24")));
    EXPECT_FALSE(full_tiles(generate<double>("dense:rows=32,cols=24"))) << "as many nonzeros as whole tiles";
}

}  // namespace
}  // namespace tilespmv::testing
