#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/cuda/tuning.hpp"
#include "kernels/executed.hpp"
#include "kernels/operators/tile/tile_pieces.hpp"
#include "selector/paths.hpp"
#include "selector/work_sizes.hpp"

/// How a GPU multiplies tiles: in slots, which the 16 lanes of half a warp take in one step, and entries.
/// The format of a tile says what becomes of it:
///  - dense, ell, csr, dense_col, and any format without an entry here: the k-th nonzero of every row is slot k;
///  - hyb: its ELL block in slots, its COO part as entries;
///  - dense_row: a row slot for each of its rows, whose lanes are columns;
///  - coo: entries; one that is a diagonal is a slot.
/// What would leave fewer than `kLeastOfSlot` nonzeros in a slot becomes entries, since it takes fewer bytes. Padding
/// is left out, so it never meets x.
namespace tilespmv::cuda {

/// At most one nonzero of each row of a tile. In a row slot the lanes are columns instead of rows.
struct alignas(16) Slot {
    std::uint32_t column;                ///< of the tile's first column
    std::uint32_t lanes_and_value;       ///< see below
    std::array<std::uint32_t, 2> codes;  ///< 4 bits a lane: its column in the tile; in a row slot the row

    /// A bit for each lane that has a nonzero.
    [[nodiscard]] TILESPMV_HD std::uint32_t lanes() const { return lanes_and_value & 0xffffu; }
    /// Position of the first lane's value, relative to the item's; those of the other lanes follow in their order.
    [[nodiscard]] TILESPMV_HD int first_value() const { return static_cast<int>(lanes_and_value >> 16); }
};
static_assert(sizeof(Slot) == 16);

/// Empty slots behind the last one, which kernels may read.
inline constexpr int kSpareSlots = 16;

/// Fewer nonzeros take fewer bytes as entries, of 4 bytes of index each.
inline constexpr int kLeastOfSlot = 4;

/// What half a warp or a warp does: slots of one tile row, its row slots behind them, then entries, which are CSR rows.
struct alignas(16) TileItem {
    static constexpr std::uint32_t kPiece = 1u << 31;

    std::int64_t first_value = 0;
    std::int64_t first_entry = 0;
    std::uint32_t first_slot = 0;
    std::uint32_t target = 0;  ///< the tile row, or kPiece and a position in `pieces`
    std::uint16_t slots = 0;
    std::uint16_t row_slots = 0;
    std::uint16_t entries = 0;
    std::uint16_t unused = 0;
};
static_assert(sizeof(TileItem) == 32);

/// Where each row's entries of an item end, relative to its first.
using EntryEnds = std::array<std::uint16_t, kTileSize>;

/// The tile rows of one path in slots and entries, cut into items; T: a value, or the position of one in CSR order.
template <class T>
struct SlotWork {
    Buffer<TileItem> items;  ///< first those for halves of a warp, then those for warps
    offset_t half_items = 0;
    Buffer<Slot> slots;
    Buffer<T> values;
    Buffer<index_t> entry_columns;
    Buffer<T> entry_values;
    Buffer<EntryEnds> entry_ends;  ///< of each item; none if there are no entries
    TilePieces pieces;
    std::vector<ExecutedPart> executed;  ///< by format; without what parts share: items and ends of entries
    offset_t nnz = 0;
};

/// The tile rows of `a` that have the path `tiles`, each with at least one item so that its rows are written. `values`
/// and `deferred`: one for each value that `a` stores and for each of its deferred nonzeros.
template <class T, Value V>
SlotWork<T> make_slots(const TileMatrix<V>& a, const Paths& paths, const SlotLimits& limits, const Buffer<T>& values,
                       const Buffer<T>& deferred);

}  // namespace tilespmv::cuda
