#include "tools/view/tile_list.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "tile/parallel.hpp"
#include "tile/tile_scanner.hpp"

namespace tilespmv::tools {
namespace {

constexpr std::int64_t kTileRowsOfPiece = 2048;

struct ShapeHash {
    std::size_t operator()(const TileShape& shape) const {
        return std::hash<std::string_view>()({reinterpret_cast<const char*>(&shape), sizeof shape});
    }
};

/// Numbers shapes in the order in which they are met.
class ShapeNumbers {
public:
    std::uint32_t number(const TileShape& shape) {
        const auto [at, is_new] = numbers_.try_emplace(shape, static_cast<std::uint32_t>(shapes.size()));
        if (is_new) shapes.push_back(shape);
        return at->second;
    }
    std::vector<TileShape> shapes;

private:
    std::unordered_map<TileShape, std::uint32_t, ShapeHash> numbers_;
};

/// How many nonzeros of each row a tile has that holds only some of its nonzeros.
int part_of(const TilePattern& pattern, int nnz) {
    int part = 1;
    while (part < pattern.longest_row && pattern.first_of_rows(part).nnz != nnz) ++part;
    return part;
}

/// Tiles of consecutive tile rows, with shapes of their own.
template <Value V>
class ListedPiece {
public:
    void add(const CsrMatrix<V>& a, const TileMatrix<V>& tiles, std::int64_t first, std::int64_t last) {
        const auto& ids = tiles.tile_rows;
        auto k = std::lower_bound(ids.begin(), ids.end(), first) - ids.begin();
        for (std::int64_t tile_row = first; tile_row < last; ++tile_row) {
            const bool is_listed = k < std::ssize(ids) && ids[k] == tile_row;
            const TileEntry* entry = tiles.tiles.data() + tiles.tile_ptrs[k];
            add_row(a, static_cast<index_t>(tile_row), entry,
                    is_listed ? tiles.tiles.data() + tiles.tile_ptrs[k + 1] : entry);
            if (is_listed) ++k;
        }
    }

    ShapeNumbers numbers;
    CellGrid cells;

private:
    void add_row(const CsrMatrix<V>& a, index_t tile_row, const TileEntry* entry, const TileEntry* end) {
        TileScanner scanner(a, tile_row);
        while (scanner.next()) {
            const TilePattern& p = scanner.pattern();
            TileShape shape{p.row_masks, static_cast<std::uint8_t>(p.rows), static_cast<std::uint8_t>(p.cols),
                            TileShape::kDeferred, 0};
            if (entry != end && entry->column() == scanner.column()) {
                shape.format = static_cast<std::uint8_t>(entry->format());
                if (entry->nnz() < p.nnz) shape.part = static_cast<std::uint8_t>(part_of(p, entry->nnz()));
                ++entry;
            }
            cells.add(tile_row, scanner.column(), numbers.number(shape));
        }
    }
};

}  // namespace

void CellGrid::add(index_t row, index_t col, std::uint32_t id) {
    if (rows.empty() || rows.back() != row) {
        rows.push_back(row);
        begins.push_back(begins.back());
    }
    cols.push_back(col);
    ids.push_back(id);
    ++begins.back();
}

TilePattern TileShape::pattern() const {
    TilePattern p;
    p.rows = rows;
    p.cols = cols;
    p.row_masks = masks;
    p.count();
    return p;
}

template <Value V>
TileList list_tiles(const CsrMatrix<V>& a, const TileMatrix<V>& tiles) {
    const std::int64_t tile_rows = div_up(a.rows, kTileSize);
    std::vector<ListedPiece<V>> pieces(static_cast<std::size_t>(div_up(tile_rows, kTileRowsOfPiece)));
    parallel_ranges(0, tile_rows, kTileRowsOfPiece, [&](std::int64_t first, std::int64_t last) {
        pieces[static_cast<std::size_t>(first / kTileRowsOfPiece)].add(a, tiles, first, last);
    });
    ShapeNumbers numbers;
    TileList list;
    for (ListedPiece<V>& piece : pieces) {
        std::vector<std::uint32_t> of_piece;
        of_piece.reserve(piece.numbers.shapes.size());
        for (const TileShape& shape : piece.numbers.shapes) of_piece.push_back(numbers.number(shape));
        piece.cells.for_each([&](index_t row, std::size_t cell) {
            list.tiles.add(row, piece.cells.cols[cell], of_piece[piece.cells.ids[cell]]);
        });
        piece = {};
    }
    list.shapes = std::move(numbers.shapes);
    for (const TileShape& shape : list.shapes) list.nnz.push_back(shape.pattern().nnz);
    return list;
}

#define TILESPMV_INSTANTIATE(V) template TileList list_tiles(const CsrMatrix<V>&, const TileMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
