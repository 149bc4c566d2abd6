#include "tools/view/quadtree.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "tile/parallel.hpp"

namespace tilespmv::tools {
namespace {

struct QuadHash {
    std::size_t operator()(const Quad& quad) const {
        std::uint64_t hash = 0;
        for (const std::uint32_t id : quad) hash = (hash ^ id) * 0x9e3779b97f4a7c15u + (hash >> 29);
        return static_cast<std::size_t>(hash ^ hash >> 32);
    }
};

/// Calls f(row, col, quad) for the cells of the next level, in order.
template <class F>
void for_each_parent(const CellGrid& grid, F&& f) {
    for (std::size_t k = 0; k < grid.rows.size();) {
        const index_t row = grid.rows[k] / 2;
        std::array<std::size_t, 2> at{};
        std::array<std::size_t, 2> end{};
        for (; k < grid.rows.size() && grid.rows[k] / 2 == row; ++k) {
            const auto half = static_cast<std::size_t>(grid.rows[k] % 2);
            at[half] = grid.begins[k];
            end[half] = grid.begins[k + 1];
        }
        while (at[0] < end[0] || at[1] < end[1]) {
            index_t col = std::numeric_limits<index_t>::max();
            for (std::size_t half = 0; half < 2; ++half) {
                if (at[half] < end[half]) col = std::min(col, grid.cols[at[half]] / 2);
            }
            Quad quad{kNoCell, kNoCell, kNoCell, kNoCell};
            for (std::size_t half = 0; half < 2; ++half) {
                for (; at[half] < end[half] && grid.cols[at[half]] / 2 == col; ++at[half]) {
                    quad[2 * half + static_cast<std::size_t>(grid.cols[at[half]] % 2)] = grid.ids[at[half]];
                }
            }
            f(row, col, quad);
        }
    }
}

/// The next level of `grid`, whose different cells go to `quads`; none if there are more than `most` of these.
std::optional<CellGrid> next_level(const CellGrid& grid, std::vector<Quad>& quads, std::size_t most) {
    std::unordered_map<Quad, std::uint32_t, QuadHash> numbers;
    CellGrid next;
    for_each_parent(grid, [&](index_t row, index_t col, const Quad& quad) {
        if (quads.size() > most) return;
        const auto [at, is_new] = numbers.try_emplace(quad, static_cast<std::uint32_t>(quads.size()));
        if (is_new) quads.push_back(quad);
        next.add(row, col, at->second);
    });
    if (quads.size() > most) return {};
    return next;
}

/// Adds the levels above `grid`, up to `levels` in all. False if there are more than `most` different cells.
bool add_levels(Quadtree& tree, CellGrid grid, int levels, std::size_t most) {
    while (static_cast<int>(tree.levels.size()) < levels) {
        tree.levels.emplace_back();
        auto next = next_level(grid, tree.levels.back(), most);
        if (!next) return false;
        most -= tree.levels.back().size();
        grid = std::move(*next);
    }
    return true;
}

/// Sums up the tiles of the tile rows [first, last) of the list, all in one row of cells of level `level`.
void sum_row(const TileList& list, std::size_t first, std::size_t last, int level, SummedLevel& out) {
    std::vector<std::pair<index_t, std::uint32_t>> tiles;
    for (std::size_t i = list.tiles.begins[first]; i < list.tiles.begins[last]; ++i) {
        tiles.emplace_back(list.tiles.cols[i] >> level, list.tiles.ids[i]);
    }
    std::ranges::sort(tiles);
    for (std::size_t i = 0; i < tiles.size();) {
        std::array<offset_t, TileShape::kDeferred + 1> nnz{};
        CellSummary sum;
        const index_t col = tiles[i].first;
        for (; i < tiles.size() && tiles[i].first == col; ++i) {
            const std::uint32_t shape = tiles[i].second;
            nnz[list.shapes[shape].format] += list.nnz[shape];
            sum.nnz += list.nnz[shape];
            sum.formats |= 1u << list.shapes[shape].format;
            ++sum.tiles;
        }
        sum.format = static_cast<std::uint32_t>(std::ranges::max_element(nnz) - nnz.begin());
        out.places.push_back({list.tiles.rows[first] >> level, col});
        out.summaries.push_back(sum);
    }
}

/// Marks cells whose tiles are to be shown.
std::vector<bool> choose_cells(const SummedLevel& cells, std::size_t most_tiles, const std::vector<TilePlace>& wanted) {
    std::vector<bool> is_chosen(cells.places.size());
    auto room = static_cast<offset_t>(most_tiles);
    const auto choose = [&](std::size_t i) {
        if (is_chosen[i] || cells.summaries[i].tiles > room) return;
        room -= cells.summaries[i].tiles;
        is_chosen[i] = true;
    };
    for (const auto& [row, col] : wanted) {
        choose(static_cast<std::size_t>(
            std::ranges::lower_bound(cells.places, TilePlace{row >> cells.level, col >> cells.level}) -
            cells.places.begin()));
    }
    offset_t all = 0;
    for (const CellSummary& cell : cells.summaries) all += cell.tiles;
    const auto step = static_cast<std::size_t>(div_up(all, std::max<offset_t>(1, room)));
    for (std::size_t i = 0; i < cells.places.size(); i += step) choose(i);
    return is_chosen;
}

/// Tiles in cells that are chosen; ids are positions in `tree.shapes`, which are filled.
CellGrid chosen_tiles(const TileList& list, const SummedLevel& cells, const std::vector<bool>& is_chosen,
                      Quadtree& tree) {
    const int level = cells.level;
    std::vector<TilePlace> chosen;
    for (std::size_t i = 0; i < is_chosen.size(); ++i) {
        if (is_chosen[i]) chosen.push_back(cells.places[i]);
    }
    std::vector<std::uint32_t> numbers(list.shapes.size(), kNoCell);
    CellGrid tiles;
    for (std::size_t k = 0; k < list.tiles.rows.size(); ++k) {
        const index_t row = list.tiles.rows[k];
        auto cell = std::ranges::lower_bound(chosen, TilePlace{row >> level, 0});
        for (std::size_t i = list.tiles.begins[k]; i < list.tiles.begins[k + 1]; ++i) {
            const TilePlace place{row >> level, list.tiles.cols[i] >> level};
            while (cell != chosen.end() && *cell < place) ++cell;
            if (cell == chosen.end()) break;
            if (*cell != place) continue;
            std::uint32_t& number = numbers[list.tiles.ids[i]];
            if (number == kNoCell) {
                number = static_cast<std::uint32_t>(tree.shapes.size());
                tree.shapes.push_back(list.tiles.ids[i]);
            }
            tiles.add(row, list.tiles.cols[i], number);
        }
    }
    return tiles;
}

struct SummaryHash {
    std::size_t operator()(const CellSummary& s) const {
        return QuadHash()(
            {static_cast<std::uint32_t>(s.nnz), static_cast<std::uint32_t>(s.tiles), s.format, s.formats});
    }
};

/// The cells of the level of the cut: those of `detailed`, which has a cell for each that is chosen, and summaries.
CellGrid add_summaries(const SummedLevel& cells, const std::vector<bool>& is_chosen, const CellGrid& detailed,
                       Quadtree& tree) {
    const std::size_t first = tree.cut == 0 ? tree.shapes.size() : tree.levels.back().size();
    std::unordered_map<CellSummary, std::uint32_t, SummaryHash> numbers;
    CellGrid all;
    std::size_t next = 0;
    for (std::size_t i = 0; i < cells.places.size(); ++i) {
        std::uint32_t id = 0;
        if (is_chosen[i]) {
            id = detailed.ids[next++];
        } else {
            const auto number = static_cast<std::uint32_t>(first + tree.summaries.size());
            const auto [at, is_new] = numbers.try_emplace(cells.summaries[i], number);
            if (is_new) tree.summaries.push_back(cells.summaries[i]);
            id = at->second;
        }
        all.add(cells.places[i][0], cells.places[i][1], id);
    }
    return all;
}

/// Gives the cells of each level their places in the order in which the level above mentions them first.
class Encoder {
public:
    explicit Encoder(const Quadtree& tree) : tree_(tree) {}

    EncodedTree run() && {
        const int top = static_cast<int>(tree_.levels.size());
        std::vector<std::uint32_t> order;
        if (cells_of(top) > 0) order = {0};
        for (int level = top; level > 0; --level) order = add_level(level, order);
        out_.counts.push_back(order.size());
        for (const std::uint32_t id : order) {
            const bool is_summary = id >= tree_.shapes.size();
            if (tree_.cut == 0) out_.kinds += is_summary ? '\1' : '\0';
            if (is_summary) {
                out_.summaries.push_back(id - static_cast<std::uint32_t>(tree_.shapes.size()));
            } else {
                out_.shapes.push_back(tree_.shapes[id]);
            }
        }
        return std::move(out_);
    }

private:
    std::vector<std::uint32_t> add_level(int level, const std::vector<std::uint32_t>& order) {
        const auto& quads = tree_.levels[static_cast<std::size_t>(level) - 1];
        std::vector<std::uint32_t> places(cells_of(level - 1), kNoCell);
        std::vector<std::uint32_t> next;
        out_.counts.push_back(order.size());
        for (const std::uint32_t id : order) {
            if (id < quads.size()) {
                add_cell(quads[id], places, next);
            } else {
                out_.cells += '\0';
                out_.summaries.push_back(id - static_cast<std::uint32_t>(quads.size()));
            }
        }
        return next;
    }

    void add_cell(const Quad& quad, std::vector<std::uint32_t>& places, std::vector<std::uint32_t>& next) {
        unsigned code = 0;
        for (unsigned i = 0; i < quad.size(); ++i) {
            if (quad[i] == kNoCell) continue;
            code |= 1u << i;
            std::uint32_t& place = places[quad[i]];
            if (place == kNoCell) {
                code |= 16u << i;
                place = static_cast<std::uint32_t>(next.size());
                next.push_back(quad[i]);
            } else {
                append_number(out_.links, next.size() - place);
            }
        }
        out_.cells += static_cast<char>(code);
    }

    [[nodiscard]] std::size_t cells_of(int level) const {
        const std::size_t cells =
            level == 0 ? tree_.shapes.size() : tree_.levels[static_cast<std::size_t>(level) - 1].size();
        return cells + (level == tree_.cut ? tree_.summaries.size() : 0);
    }

    const Quadtree& tree_;
    EncodedTree out_;
};

}  // namespace

std::optional<Quadtree> whole_quadtree(const TileList& list, int levels, std::size_t most) {
    if (list.shapes.size() > most) return {};
    Quadtree tree;
    for (std::uint32_t i = 0; i < list.shapes.size(); ++i) tree.shapes.push_back(i);
    tree.detailed_tiles = static_cast<offset_t>(list.tiles.cols.size());
    if (!add_levels(tree, list.tiles, levels, most - list.shapes.size())) return {};
    return tree;
}

SummedLevel sum_up(const TileList& list, int level) {
    std::vector<std::size_t> begins;  // of rows of cells, among the tile rows of the list
    for (std::size_t k = 0; k < list.tiles.rows.size(); ++k) {
        if (k == 0 || list.tiles.rows[k] >> level != list.tiles.rows[k - 1] >> level) begins.push_back(k);
    }
    begins.push_back(list.tiles.rows.size());
    std::vector<SummedLevel> rows(begins.size() - 1);
    parallel_for(0, std::ssize(rows), 4, [&](std::int64_t i) {
        const auto k = static_cast<std::size_t>(i);
        sum_row(list, begins[k], begins[k + 1], level, rows[k]);
    });
    SummedLevel all{.level = level, .places = {}, .summaries = {}};
    for (const SummedLevel& row : rows) {
        all.places.insert(all.places.end(), row.places.begin(), row.places.end());
        all.summaries.insert(all.summaries.end(), row.summaries.begin(), row.summaries.end());
    }
    return all;
}

int lowest_level(const TileList& list, int levels, std::size_t most) {
    if (list.tiles.cols.size() <= most) return 0;
    CellGrid grid;
    for_each_parent(list.tiles, [&](index_t row, index_t col, const Quad&) { grid.add(row, col, 0); });
    int level = 1;
    for (; grid.cols.size() > most && level < levels; ++level) {
        CellGrid next;
        for_each_parent(grid, [&](index_t row, index_t col, const Quad&) { next.add(row, col, 0); });
        grid = std::move(next);
    }
    return std::min(level, levels);
}

Quadtree sampled_quadtree(const TileList& list, int levels, const SummedLevel& cells, std::size_t most_tiles,
                          const std::vector<TilePlace>& wanted) {
    constexpr auto any = std::numeric_limits<std::size_t>::max();
    Quadtree tree;
    tree.cut = cells.level;
    const auto is_chosen = choose_cells(cells, most_tiles, wanted);
    CellGrid detailed = chosen_tiles(list, cells, is_chosen, tree);
    tree.detailed_tiles = std::ssize(detailed.cols);
    tree.detailed_cells = std::ranges::count(is_chosen, true);
    tree.cut_cells = std::ssize(cells.places);
    while (static_cast<int>(tree.levels.size()) < tree.cut) {
        tree.levels.emplace_back();
        detailed = *next_level(detailed, tree.levels.back(), any);
    }
    add_levels(tree, add_summaries(cells, is_chosen, detailed, tree), levels, any);
    return tree;
}

EncodedTree encode(const Quadtree& tree) { return Encoder(tree).run(); }

void append_number(std::string& bytes, std::uint64_t number) {
    for (; number >= 128; number >>= 7) bytes += static_cast<char>(number | 128);
    bytes += static_cast<char>(number);
}

}  // namespace tilespmv::tools
