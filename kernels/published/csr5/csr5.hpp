#pragma once

#include <cstdint>
#include <span>

#include "kernels/cuda/tuning.hpp"
#include "tile/csr.hpp"
#include "tile/parallel.hpp"

/// CSR5 (Liu and Vinter, "CSR5: an efficient storage format for cross-platform sparse matrix-vector multiplication",
/// ICS 2015): the nonzeros of CSR in tiles of equally many, whatever the rows look like. A tile has `kCsr5Lanes` lanes
/// of sigma consecutive nonzeros each, stored transposed, so that the lanes of a warp read them side by side. Unlike
/// the published one this representation marks where rows end, not where they begin, so that a tile knows by itself
/// which rows it completes; the empty rows stand in a list; and the last tile is filled up.
namespace tilespmv::cuda {

inline constexpr int kCsr5Lanes = 32;  ///< omega

/// Which nonzero of CSR is stored at `place`, at or behind their number where that is padding.
TILESPMV_HD constexpr std::int64_t csr5_nonzero(std::int64_t place, int sigma) {
    const int size = kCsr5Lanes * sigma;
    const int in_tile = static_cast<int>(place % size);
    return place - in_tile + in_tile % kCsr5Lanes * sigma + in_tile / kCsr5Lanes;
}

/// The nonzeros of a lane.
struct Csr5Lane {
    std::uint32_t bits = 0;

    /// Bit j: its j-th nonzero is the last of a row.
    [[nodiscard]] TILESPMV_HD std::uint32_t ends() const { return bits & 0xffffu; }
    /// How many rows end in lanes before it in the tile.
    [[nodiscard]] TILESPMV_HD int ends_before() const { return static_cast<int>(bits >> 16); }
};

struct alignas(16) Csr5Tile {
    std::int64_t ended = -1;      ///< where in `Csr5::ended_rows` the rows stand that end in it; -1: nowhere, as these
                                  ///< are `first_row` and those behind it
    std::uint32_t first_row = 0;  ///< the row of its first nonzero ...
    std::uint32_t back = 0;       ///< ... which begins so many tiles before

    /// The n-th row that ends in it.
    [[nodiscard]] TILESPMV_HD std::int64_t row(const std::uint32_t* ended_rows, int n) const {
        return ended < 0 ? std::int64_t{first_row} + n : std::int64_t{ended_rows[ended + n]};
    }
    /// Of the tiles before it in its thread block, those that the row of its first nonzero reaches back to.
    [[nodiscard]] TILESPMV_HD int back_in_block(int warp) const {
        return back < static_cast<std::uint32_t>(warp) ? static_cast<int>(back) : warp;
    }
    /// How many thread blocks before that of tile `tile`, which this is, hold a part of that row.
    [[nodiscard]] TILESPMV_HD std::int64_t blocks_back(std::int64_t tile) const {
        return tile / kCsr5Tiles - (tile - back) / kCsr5Tiles;
    }
};

/// A matrix in CSR5 but for its values, whose order is that of `cols`; in the memory of the host.
struct Csr5 {
    int sigma = 0;
    offset_t nonzeros = 0;
    Buffer<Csr5Tile> tiles;
    Buffer<Csr5Lane> lanes;            ///< kCsr5Lanes a tile
    Buffer<index_t> cols;              ///< whole tiles; the padding has column 0, behind the end of the last row
    Buffer<std::uint32_t> ended_rows;  ///< of tiles with empty rows between those that end in them
    Buffer<std::uint32_t> empty_rows;

    /// Values stored, those of the padding counted.
    [[nodiscard]] std::size_t places() const {
        const int size = kCsr5Lanes * sigma;
        return static_cast<std::size_t>(div_up(nonzeros, size) * size);
    }
    /// Bytes that a product reads, x and y apart.
    [[nodiscard]] std::size_t bytes(std::size_t value_bytes) const {
        return tiles.bytes() + lanes.bytes() + cols.bytes() + places() * value_bytes + ended_rows.bytes() +
               empty_rows.bytes();
    }
};

/// From the row pointers and columns of a CSR matrix, in parallel. sigma: 1 to 16, the bits of `Csr5Lane::ends`.
Csr5 make_csr5(std::span<const offset_t> row_ptrs, std::span<const index_t> col_idxs, int sigma);

/// What belongs to the nonzeros of CSR (such as their values) in the order of `b`, T{} for the padding.
template <class T>
Buffer<T> in_csr5(const Csr5& b, std::span<const T> of_csr) {
    Buffer<T> placed(b.places());
    const std::int64_t size = kCsr5Lanes * b.sigma;
    parallel_for(0, static_cast<std::int64_t>(placed.size()) / size, 64, [&](std::int64_t tile) {
        T* out = placed.data() + tile * size;
        for (int j = 0; j < b.sigma; ++j) {
            for (std::int64_t k = tile * size + j; k < (tile + 1) * size; k += b.sigma) {
                *out++ = k < b.nonzeros ? of_csr[static_cast<std::size_t>(k)] : T{};
            }
        }
    });
    return placed;
}

}  // namespace tilespmv::cuda
