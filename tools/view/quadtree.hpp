#pragma once

#include <array>
#include <optional>
#include <string>

#include "tools/view/tile_list.hpp"

namespace tilespmv::tools {

/// What is known of a cell whose tiles are left out.
struct CellSummary {
    offset_t nnz = 0;
    offset_t tiles = 0;
    std::uint32_t format = 0;   ///< of most of its nonzeros, as in `TileShape`
    std::uint32_t formats = 0;  ///< a bit for each of its tiles' formats

    friend bool operator==(const CellSummary&, const CellSummary&) = default;
};

/// The cells of one level under a cell of the next: upper left, upper right, lower left, lower right.
using Quad = std::array<std::uint32_t, 4>;
inline constexpr std::uint32_t kNoCell = 0xffffffff;

/// The tiles of a matrix as a tree of cells that are twice as wide and high from level to level; a cell of level 0 is a
/// tile. Cells that hold the same are stored once, so that a regular matrix takes little, whatever its size.
struct Quadtree {
    std::vector<std::uint32_t> shapes;  ///< level 0: those of `TileList::shapes` that occur; then summaries at `cut` 0
    std::vector<std::vector<Quad>> levels;  ///< from level 1 on; the last has one cell, of the whole matrix
    int cut = -1;                           ///< level that has summaries behind its other cells; -1: none has
    std::vector<CellSummary> summaries;
    offset_t detailed_tiles = 0;  ///< that are under no summary
    offset_t detailed_cells = 0;  ///< of level `cut`
    offset_t cut_cells = 0;       ///< all of them
};

/// All tiles; none if there would be more than `most` different cells.
std::optional<Quadtree> whole_quadtree(const TileList& list, int levels, std::size_t most);

/// A row and a column in the grid of tiles.
using TilePlace = std::array<index_t, 2>;

/// The cells of a level that are not empty, by rows.
struct SummedLevel {
    int level = 0;
    std::vector<TilePlace> places;
    std::vector<CellSummary> summaries;
};
SummedLevel sum_up(const TileList& list, int level);

/// The lowest level of at most `most` cells, or the top one.
int lowest_level(const TileList& list, int levels, std::size_t most);

/// Summaries of these cells, and in place of some of them all of their tiles, at most `most_tiles`: of those with the
/// tiles at `wanted`, in that order, then of others, evenly over the matrix.
Quadtree sampled_quadtree(const TileList& list, int levels, const SummedLevel& cells, std::size_t most_tiles,
                          const std::vector<TilePlace>& wanted);

/// A tree as bytes, which `page/tree.js` reads.
struct EncodedTree {
    std::string
        cells;  ///< levels downwards: which quarters hold something (4 bits), and which of these are new (4 bits)
    std::string links;                     ///< for those that are not: how far back in their level
    std::vector<std::uint32_t> shapes;     ///< in the order in which level 0 has them
    std::vector<std::uint32_t> summaries;  ///< the same of summaries
    std::string kinds;                     ///< if the cut is level 0, for each of its cells: 1 if it is a summary
    std::vector<std::size_t> counts;       ///< different cells of each level, downwards
};
EncodedTree encode(const Quadtree& tree);

/// Appends a number, 7 bits a byte, the lowest first; all bytes but the last have their top bit set.
void append_number(std::string& bytes, std::uint64_t number);

}  // namespace tilespmv::tools
