#include "tests/support/battery.hpp"

#include <fmt/format.h>

namespace tilespmv::testing {
namespace {

using Positions = std::set<std::pair<index_t, index_t>>;

void add_shapes(std::vector<NamedTile>& tiles, int rows, int cols) {
    const auto add = [&](const char* shape, auto&& keep) {
        const TilePattern p = tile_of(rows, cols, keep);
        if (p.nnz > 0) tiles.push_back({fmt::format("{}x{} {}", rows, cols, shape), p});
    };
    std::mt19937 random(static_cast<unsigned>(rows * 100 + cols));
    add("full", [](int, int) { return true; });
    add("full but one", [&](int r, int c) { return r != rows - 1 || c != cols / 2; });
    add("first", [](int r, int c) { return r == 0 && c == 0; });
    add("last", [&](int r, int c) { return r == rows - 1 && c == cols - 1; });
    add("diagonal", [](int r, int c) { return r == c; });
    add("piece of a diagonal above", [](int r, int c) { return c == r + 3 && r >= 2 && r < 8; });
    add("piece of a diagonal below", [](int r, int c) { return c == r - 5; });
    add("diagonal with a gap", [](int r, int c) { return r == c && r != 4; });
    add("diagonal over the edge", [](int r, int c) { return r < 8 ? r >= 5 && c == r + 9 : r < 10 && c == r - 8; });
    add("upper triangle", [](int r, int c) { return c >= r; });
    add("one full row", [&](int r, int) { return r == rows / 2; });
    add("odd rows", [](int r, int) { return r % 2 == 1; });
    add("one full column", [&](int, int c) { return c == cols - 1; });
    add("every third column", [](int, int c) { return c % 3 == 0; });
    add("arrow", [](int r, int c) { return r == 0 || c == 0; });
    add("long row and diagonal", [](int r, int c) { return r == 3 || r == c; });
    add("longer row and half a diagonal", [](int r, int c) { return r == 0 ? c < 5 : r < 9 && r == c; });
    for (const unsigned share : {1u, 3u, 6u, 9u}) {
        add(fmt::format("random {}/10", share).c_str(), [&](int, int) { return random() % 10 < share; });
    }
}

Positions random_positions(index_t rows, index_t cols, std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    Positions positions;
    for (std::size_t i = 0; i < count; ++i) {
        positions.emplace(static_cast<index_t>(random() % static_cast<unsigned>(rows)),
                          static_cast<index_t>(random() % static_cast<unsigned>(cols)));
    }
    return positions;
}

/// One tile row and column of tiles for every shape of the tile battery.
CsrMatrix<double> mixed_tiles() {
    Positions positions;
    index_t tile = 0;
    for (const auto& [name, p] : tile_battery()) {
        if (p.rows != kTileSize || p.cols != kTileSize) continue;
        for (int r = 0; r < kTileSize; ++r) {
            for_each_bit(p.row_masks[r],
                         [&](int c) { positions.emplace(tile % 4 * kTileSize + r, tile * kTileSize + c); });
        }
        ++tile;
    }
    return matrix_of(4 * kTileSize, tile * kTileSize, positions);
}

CsrMatrix<double> dense(index_t rows, index_t cols) {
    Positions positions;
    for (index_t r = 0; r < rows; ++r) {
        for (index_t c = 0; c < cols; ++c) positions.emplace(r, c);
    }
    return matrix_of(rows, cols, positions);
}

CsrMatrix<double> banded(index_t n, index_t half_width) {
    Positions positions;
    for (index_t r = 0; r < n; ++r) {
        for (index_t c = std::max(0, r - half_width); c <= std::min(n - 1, r + half_width); ++c)
            positions.emplace(r, c);
    }
    return matrix_of(n, n, positions);
}

CsrMatrix<double> hubs(index_t n) {
    Positions positions = random_positions(n, n, static_cast<std::size_t>(n), 7);
    for (index_t i = 0; i < n; ++i) {
        positions.emplace(n / 3, i);
        if (i % 2 == 0) positions.emplace(i, n / 2);
    }
    return matrix_of(n, n, positions);
}

/// Rows far longer than anything a block of threads does at a time, empty and short rows between them; few, since
/// padded rows hold a place for each column.
CsrMatrix<double> long_rows() {
    Positions positions = random_positions(100, 30000, 300, 8);
    for (index_t c = 0; c < 30000; ++c) {
        positions.emplace(70, c);
        if (c % 3 == 0) positions.emplace(71, c);
        if (c % 7 == 0) positions.emplace(99, c);
    }
    return matrix_of(100, 30000, positions);
}

/// So few nonzeros a tile that selectors which may defer defer all of them, and every row has some.
CsrMatrix<double> scattered_rows(index_t n) {
    Positions positions;
    std::mt19937 random(9);
    for (index_t r = 0; r < n; ++r) {
        const auto wanted = 4 * (static_cast<std::size_t>(r) + 1);
        while (positions.size() < wanted)
            positions.emplace(r, static_cast<index_t>(random() % static_cast<unsigned>(n)));
    }
    return matrix_of(n, n, positions);
}

/// Full tiles in the upper half of the rows, single nonzeros in the lower half and at the far end of every seventh row.
CsrMatrix<double> half_scattered(index_t n) {
    Positions positions = random_positions(n, 5 * n, static_cast<std::size_t>(n), 10);
    for (index_t r = 0; r < n / 2; ++r) {
        for (index_t c = 0; c < kTileSize; ++c) positions.emplace(r, r / kTileSize * 3 * kTileSize + c);
        if (r % 7 == 0) positions.emplace(r, 5 * n - 1);
    }
    return matrix_of(n, 5 * n, positions);
}

/// Columns on both sides of multiples of 2^16 in one row.
CsrMatrix<double> far_apart() {
    Positions positions;
    for (index_t r = 0; r < 20; ++r) {
        for (const index_t c : {0, 15, 16, 65535, 65536, 131071, 131072, 200000}) {
            if ((r + c) % 3 != 0) positions.emplace(r, c);
        }
        positions.emplace(r, r % 2 * 65536);
    }
    return matrix_of(20, 200001, positions);
}

CsrMatrix<double> explicit_zeros() {
    auto a = banded(90, 3);
    for (std::size_t i = 0; i < a.values.size(); i += 3) a.values[i] = i % 2 == 0 ? 0.0 : -0.0;
    return a;
}

}  // namespace

std::vector<NamedTile> tile_battery() {
    std::vector<NamedTile> tiles;
    for (int size = 1; size <= kTileSize; ++size) {
        add_shapes(tiles, kTileSize, size);
        if (size < kTileSize) add_shapes(tiles, size, kTileSize);
    }
    add_shapes(tiles, 1, 1);
    add_shapes(tiles, 3, 5);
    add_shapes(tiles, 15, 7);
    return tiles;
}

CsrMatrix<double> matrix_of(index_t rows, index_t cols, const Positions& positions) {
    CsrMatrix<double> a{rows, cols, Buffer<offset_t>(static_cast<std::size_t>(rows) + 1, offset_t{0}),
                        Buffer<index_t>(positions.size()), Buffer<double>(positions.size())};
    std::size_t p = 0;
    for (const auto& [r, c] : positions) {
        ++a.row_ptrs[r + 1];
        a.col_idxs[p] = c;
        a.values[p] = 0.5 + static_cast<double>((p * 7919) % 1009) / 64.0 * (p % 2 == 0 ? 1 : -1);
        ++p;
    }
    for (index_t r = 0; r < rows; ++r) a.row_ptrs[r + 1] += a.row_ptrs[r];
    return a;
}

std::vector<NamedMatrix> matrix_battery() {
    std::vector<NamedMatrix> all;
    const auto add = [&](std::string name, CsrMatrix<double> a) { all.push_back({std::move(name), std::move(a)}); };
    add("0 x 0", matrix_of(0, 0, {}));
    add("0 x 5", matrix_of(0, 5, {}));
    add("7 x 0", matrix_of(7, 0, {}));
    add("40 x 40 empty", matrix_of(40, 40, {}));
    add("1 x 1", dense(1, 1));
    add("one row", dense(1, 1000));
    add("one column", dense(1000, 1));
    add("dense", dense(50, 70));
    add("full tiles", dense(48, 17 * kTileSize));
    for (index_t size = 33; size < 33 + kTileSize; ++size) {
        add(fmt::format("random {} x {}", size, 81 - size),
            matrix_of(size, 81 - size, random_positions(size, 81 - size, 400, static_cast<unsigned>(size))));
    }
    add("banded", banded(333, 9));
    add("hub row and column", hubs(700));
    add("long rows", long_rows());
    add("wide", matrix_of(9, 20000, random_positions(9, 20000, 3000, 1)));
    add("tall", matrix_of(20000, 9, random_positions(20000, 9, 3000, 2)));
    add("hypersparse", matrix_of(100000, 100000, random_positions(100000, 100000, 60, 3)));
    add("scattered", matrix_of(1000, 1000, random_positions(1000, 1000, 8000, 4)));
    add("mixed tiles", mixed_tiles());
    add("scattered rows", scattered_rows(700));
    add("half scattered", half_scattered(200));
    add("far apart", far_apart());
    add("explicit zeros", explicit_zeros());
    return all;
}

}  // namespace tilespmv::testing
