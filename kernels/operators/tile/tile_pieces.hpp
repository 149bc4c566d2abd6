#pragma once

#include <cstdint>
#include <vector>

namespace tilespmv::cuda {

/// A piece of a split tile row. Pieces stand in groups of at most `kMost`, in their order: the last of a group waits
/// for the sums of the others and adds them to its own, which become those of piece `next`, in a group of the next
/// level; so no warp has many to add. Sums lie in places of 16, those of a group side by side.
struct alignas(16) TilePiece {
    static constexpr std::uint32_t kMost = 8;
    static constexpr std::int32_t kLeaves = -1;  ///< in `takes`: it leaves its sums in its place
    static constexpr std::int32_t kNone = -1;    ///< in `next`: these are the sums of the tile row

    std::uint32_t tile_row = 0;
    std::uint32_t place = 0;
    std::int32_t takes = kLeaves;  ///< or how many places before its own it adds up
    std::int32_t next = kNone;
};
static_assert(sizeof(TilePiece) == 16);

struct TilePieces {
    std::vector<TilePiece> pieces;
    std::uint32_t places = 0;

    /// Of one more tile row: `count` pieces one after the other, at least 2, and behind them what their groups become.
    void add(std::uint32_t tile_row, std::uint32_t count);
};

}  // namespace tilespmv::cuda
