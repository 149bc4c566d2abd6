#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/csr_hub/hubs.hpp"
#include "tile/csr.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {

inline constexpr int kHubLanes = 32;
inline constexpr int kHubEach = 8;                         ///< consecutive nonzeros of a lane
inline constexpr int kHubTile = kHubLanes * kHubEach;      ///< places of a tile
inline constexpr int kHubTileRows = (kHubLanes - 1) * 32;  ///< rows of a tile lie in kHubLanes words of 32 bits

/// Where the values of a lane's nonzeros are stored: 16 bytes of each lane side by side. Place, in a tile, of the value
/// of nonzero `i` of the tile.
template <std::size_t kValueBytes>
TILESPMV_HD constexpr int hub_place(int i) {
    constexpr int together = 16 / static_cast<int>(kValueBytes);
    return i % kHubEach / together * (kHubLanes * together) + i / kHubEach * together + i % together;
}

/// The nonzeros of a lane.
struct HubLane {
    std::uint16_t bits = 0;

    /// Bit i: its i-th nonzero is the last of a row.
    [[nodiscard]] TILESPMV_HD unsigned ends() const { return bits & 0xffu; }
    /// How many rows with nonzeros end in lanes before it in the tile.
    [[nodiscard]] TILESPMV_HD int ends_before() const { return bits >> 8; }
};
static_assert(kHubEach == 8 && kHubTile - kHubEach < 256, "bits of a lane");

/// Consecutive tiles, which a warp multiplies.
struct alignas(16) HubRun {
    static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

    std::uint32_t first_tile = 0;
    std::uint32_t cut_row = kNoRow;  ///< the row that ends in it and begins in an earlier run ...
    std::uint32_t back = 0;          ///< ... which lies so many runs before
    std::uint32_t goes_on = 0;       ///< 1 if its last row goes on in the next run
};

/// CSR with hubs: columns of so many nonzeros that every multiprocessor keeps their x in shared memory. The nonzeros
/// stand in tiles of `kHubTile` places in the order of CSR, whatever the rows look like; a tile with more than
/// `kHubTileRows` rows ends after so many, padded. A nonzero is a value and a code: the place of a hub among the
/// hubs, or the number of hubs + 1 + the column; the number of hubs is the code of padding. Empty rows belong to the
/// tile in which the row before them ends. All but the values; in the memory of the host.
struct CsrHub {
    offset_t nonzeros = 0;
    Buffer<index_t> hubs;              ///< their columns, ascending
    Buffer<std::uint32_t> first_rows;  ///< tiles + 1: the first row that ends in a tile
    Buffer<offset_t> sources;          ///< tiles + 1: the first nonzero of a tile in the CSR matrix
    Buffer<HubLane> lanes;             ///< kHubLanes a tile
    Buffer<std::uint16_t> lows;        ///< kHubTile a tile: the lowest 16 bits of the codes
    Buffer<std::uint8_t> highs;        ///< `high_bytes` a place: the other bits, the lowest byte first
    int high_bytes = 1;                ///< 1 or 2
    Buffer<std::uint32_t> filled;  ///< bit r % 32 of word r / 32: row r has nonzeros; kHubLanes words more than that
    std::vector<HubRun> runs;      ///< runs + 1
    offset_t hub_nonzeros = 0;
    offset_t hub_tile_rows = 0;    ///< tile rows with nonzeros of hubs
    offset_t other_tile_rows = 0;  ///< ... and of other columns

    [[nodiscard]] std::int64_t tiles() const { return static_cast<std::int64_t>(first_rows.size()) - 1; }
    /// Values stored, those of the padding counted.
    [[nodiscard]] std::size_t places() const { return lows.size(); }
    /// Bytes that a product reads, x and y apart; the columns of hubs to gather their x count.
    [[nodiscard]] std::size_t bytes(std::size_t value_bytes) const {
        return hubs.bytes() + first_rows.bytes() + lanes.bytes() + lows.bytes() + highs.bytes() + filled.bytes() +
               runs.size() * sizeof(HubRun) + places() * value_bytes;
    }
};

/// How tiles are divided into runs: equal costs, which are bytes that come from the second-level cache.
struct HubRuns {
    int runs = 1;           ///< no more than there are tiles
    int value_bytes = 8;    ///< of a place, and of y of a row
    int gather_bytes = 32;  ///< of x of a nonzero that is in no hub
};

/// From the row pointers and columns of a CSR matrix of `cols` columns, in parallel. hubs: ascending.
CsrHub make_csr_hub(std::span<const offset_t> row_ptrs, index_t cols, std::span<const index_t> col_idxs,
                    Buffer<index_t> hubs, const HubRuns& runs);

/// Back to CSR, exactly. `values` are in the order of `b`.
template <Value V>
CsrMatrix<V> to_csr(const CsrHub& b, index_t rows, index_t cols, const Buffer<V>& values);

/// What belongs to the nonzeros of CSR (such as their values) in the order of `b`, T{} for the padding.
template <class T>
Buffer<T> in_csr_hub(const CsrHub& b, std::span<const T> of_csr) {
    Buffer<T> placed(b.places());
    parallel_for(0, b.tiles(), 64, [&](std::int64_t t) {
        const offset_t first = b.sources[static_cast<std::size_t>(t)];
        const auto count = static_cast<int>(b.sources[static_cast<std::size_t>(t) + 1] - first);
        T* const tile = placed.data() + t * kHubTile;
        for (int i = 0; i < kHubTile; ++i) {
            tile[hub_place<sizeof(T)>(i)] = i < count ? of_csr[static_cast<std::size_t>(first + i)] : T{};
        }
    });
    return placed;
}

}  // namespace tilespmv::cuda
