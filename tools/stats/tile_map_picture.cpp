#include "tools/stats/tile_map_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

constexpr std::array<Rgb, 10> kPalette{{{0xd5, 0x43, 0x00},
                                        {0x1b, 0x8f, 0xea},
                                        {0x3d, 0xbb, 0x5c},
                                        {0xd9, 0xb6, 0x00},
                                        {0xa2, 0x10, 0x8e},
                                        {0x55, 0x00, 0x2a},
                                        {0x1f, 0x12, 0xc8},
                                        {0x00, 0x73, 0x6b},
                                        {0x8c, 0x5a, 0x2b},
                                        {0xf0, 0x78, 0xb0}}};
constexpr Rgb kInk{0x22, 0x22, 0x22};
constexpr Rgb kFaint{0x77, 0x77, 0x77};

constexpr int kTitleScale = 4;
constexpr int kScale = 3;  // of all other text; what follows grows with it
constexpr int kCapital = kScale * kTextHeight;
constexpr int kLine = 12 * kScale;    // from one line of text to the next
constexpr int kMargin = 10 * kScale;  // around everything, and between map and legend
constexpr int kTick = 3 * kScale;
constexpr int kSpace = 4 * kScale;  // between a label and what it stands at
constexpr int kTitleHeight = kTitleScale * kTextHeight + kMargin / 2 + kCapital + kMargin;
constexpr int kLegendWidth = 185 * kScale;
constexpr int kTilesColumn = 120 * kScale;  // right edge of the legend's first numbers
constexpr int kNoteLines = 4;
constexpr int kGapFrom = 8;        // tiles of this many pixels or more stand apart
constexpr double kFaintest = 0.5;  // strength of the emptiest cell
constexpr double kBehindDots = 0.25;

int label_width(std::string_view text) { return kScale * text_width(text); }

/// Strength of the colour for a fill: logarithmic between the emptiest and the fullest cell of the map.
class FillScale {
public:
    explicit FillScale(const TileMap& map) {
        for (int r = 0; r < map.axes.rows.cells; ++r) {
            for (int c = 0; c < map.axes.cols.cells; ++c) {
                if (!map.at(r, c).empty()) add(map.fill(r, c));
            }
        }
    }
    [[nodiscard]] double lowest() const { return lowest_; }
    [[nodiscard]] double highest() const { return highest_; }
    /// So little difference that shades would mislead.
    [[nodiscard]] bool uniform() const { return highest_ < 1.1 * lowest_; }
    [[nodiscard]] double strength(double fill) const {
        if (uniform()) return 1;
        return kFaintest + (1 - kFaintest) * std::log(fill / lowest_) / std::log(highest_ / lowest_);
    }

private:
    void add(double fill) {
        lowest_ = std::min(lowest_, fill);
        highest_ = std::max(highest_, fill);
    }
    double lowest_ = 1;
    double highest_ = 0;
};

/// The shortest of 1, 2, 5, 10, 20, 50 ... that cuts `size` into at most `parts`.
std::int64_t tick_step(std::int64_t size, std::int64_t parts) {
    std::int64_t step = 1;
    for (int i = 0; size > step * std::max<std::int64_t>(1, parts); ++i) step = step * (i % 3 == 1 ? 5 : 4) / 2;
    return step;
}

struct LegendRow {
    std::string name;
    Rgb color;
    offset_t tiles = 0;
    offset_t nnz = 0;
};

std::vector<LegendRow> legend_rows(const StatsReport& report) {
    const TiledStatistics& t = report.selectors[0].tiled;
    std::vector<LegendRow> rows;
    for (std::size_t id = 0; id < t.formats.size(); ++id) {
        const auto& f = t.formats[id];
        if (f.tiles > 0) rows.push_back({std::string(f.name), format_color(static_cast<int>(id)), f.tiles, f.nnz});
    }
    const offset_t deferred_tiles = report.matrix.grid.tiles - t.tiles;
    if (t.deferred.nnz > 0) rows.push_back({"deferred", kDeferredColor, deferred_tiles, t.deferred.nnz});
    return rows;
}

/// Pixels that stay white between tiles, and between the nonzeros of a tile where these are drawn.
int gap(const MapAxis& axis) {
    return axis.pixels_per_cell < kGapFrom ? 0 : axis.pixels_per_cell < 8 * kGapFrom ? 1 : 2;
}

std::string cell_note(const MapAxes& axes) {
    const auto wide = axes.cols.tiles_per_cell;
    const auto high = axes.rows.tiles_per_cell;
    if (wide == 1 && high == 1) return "Cell: one tile";
    return wide == high ? fmt::format("Cell: {0} x {0} tiles", wide)
                        : fmt::format("Cell: {} tiles wide, {} high", wide, high);
}

class Picture {
public:
    Picture(const TileMap& map, const StatsReport& report)
        : map_(map),
          report_(report),
          fill_(map),
          rows_(legend_rows(report)),
          subtitle_(make_subtitle(report)),
          origin_(map_origin(map)),
          legend_(place_legend()),
          notes_(place_notes()),
          canvas_(width(), height()) {}

    Canvas draw() && {
        canvas_.text(origin_.x, kMargin, kTitleScale, kInk, report_.name);
        canvas_.text(origin_.x, kMargin + kTitleScale * kTextHeight + kMargin / 2, kScale, kFaint, subtitle_);
        draw_cells();
        draw_nonzeros();
        canvas_.frame(origin_.x - 1, origin_.y - 1, map_.axes.cols.pixels + 2, map_.axes.rows.pixels + 2, kFaint);
        draw_ticks();
        draw_legend();
        return std::move(canvas_);
    }

private:
    static std::string make_subtitle(const StatsReport& r) {
        return fmt::format("{} x {}   {} nonzeros   {} tiles ({} of the grid)   {:.2f} bytes per nonzero   selector {}",
                           grouped(r.matrix.rows), grouped(r.matrix.cols), grouped(r.matrix.nnz),
                           grouped(r.matrix.grid.tiles), percent(share(r.matrix.grid.tiles, r.matrix.grid.possible)),
                           r.selectors[0].tiled.bytes_per_nnz, r.selectors[0].selector);
    }

    [[nodiscard]] int map_right() const { return origin_.x + map_.axes.cols.pixels; }
    [[nodiscard]] int map_bottom() const { return origin_.y + map_.axes.rows.pixels; }
    [[nodiscard]] int table_height() const { return (static_cast<int>(rows_.size()) + 1) * kLine; }
    [[nodiscard]] int legend_height() const { return table_height() + (kNoteLines + 1) * kLine; }

    /// Beside the map; below it if the map is wide and lower than the legend.
    [[nodiscard]] bool legend_below() const {
        return map_.axes.rows.pixels < legend_height() && map_.axes.cols.pixels > 2 * kLegendWidth + 2 * kMargin;
    }
    [[nodiscard]] MapOrigin place_legend() const {
        return legend_below() ? MapOrigin{origin_.x, map_bottom() + kMargin}
                              : MapOrigin{map_right() + 2 * kMargin, origin_.y};
    }
    [[nodiscard]] MapOrigin place_notes() const {
        return legend_below() ? MapOrigin{legend_.x + kLegendWidth + 2 * kMargin, legend_.y}
                              : MapOrigin{legend_.x, legend_.y + table_height() + kLine};
    }
    [[nodiscard]] int width() const {
        const int title = std::max(kTitleScale * text_width(report_.name), label_width(subtitle_));
        return kMargin + std::max({map_right(), origin_.x + title, legend_.x + kLegendWidth});
    }
    [[nodiscard]] int height() const {
        return kMargin + std::max({map_bottom(), legend_.y + table_height(), notes_.y + kNoteLines * kLine});
    }

    [[nodiscard]] Rgb color(const MapCell& cell) const {
        return cell.kind == map_.deferred ? kDeferredColor : format_color(cell.kind);
    }

    void draw_cells() {
        const MapAxes& axes = map_.axes;
        for (int r = 0; r < axes.rows.cells; ++r) {
            for (int c = 0; c < axes.cols.cells; ++c) {
                if (!map_.at(r, c).empty()) draw_cell(r, c);
            }
        }
    }

    void draw_cell(int r, int c) {
        const auto extent = [](const MapAxis& axis, int cell) {
            const int begin = cell * axis.pixels_per_cell;
            const int end = std::min(begin + axis.pixels_per_cell, axis.pixels);
            return std::pair(begin, end - begin - gap(axis));
        };
        const auto [y, height] = extent(map_.axes.rows, r);
        const auto [x, width] = extent(map_.axes.cols, c);
        const double strength = map_.nonzeros.empty() ? fill_.strength(map_.fill(r, c)) : kBehindDots;
        canvas_.fill(origin_.x + x, origin_.y + y, width, height, tint(color(map_.at(r, c)), strength));
    }

    /// The nonzeros themselves, where they are large enough.
    void draw_nonzeros() {
        const auto& [rows, cols] = map_.axes;
        const auto size = [](const MapAxis& axis) { return axis.pixels_per_cell / kTileSize - gap(axis); };
        for (const auto& [r, c] : map_.nonzeros) {
            canvas_.fill(origin_.x + cols.pixel(c), origin_.y + rows.pixel(r), size(cols), size(rows),
                         color(map_.at(r / kTileSize, c / kTileSize)));
        }
    }

    /// Distance of the ticks of the columns and of the rows, the same for both where the scale is.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> tick_steps() const {
        const auto& [rows, cols] = map_.axes;
        const std::int64_t label = label_width(grouped(cols.size)) + kMargin;
        const std::int64_t x = tick_step(cols.size, cols.pixels / label);
        const std::int64_t y = tick_step(rows.size, rows.pixels / (2 * kLine));
        const bool same = rows.tiles_per_cell == cols.tiles_per_cell && rows.pixels_per_cell == cols.pixels_per_cell;
        return same ? std::pair(std::max(x, y), std::max(x, y)) : std::pair(x, y);
    }

    void draw_ticks() {
        const auto [x_step, y_step] = tick_steps();
        for (std::int64_t i = 0; i < map_.axes.cols.size; i += x_step) {
            const int x = origin_.x + map_.axes.cols.pixel(i);
            const std::string text = grouped(i);
            canvas_.fill(x, origin_.y - 1 - kTick, 1, kTick, kFaint);
            canvas_.text(x - label_width(text) / 2, origin_.y - kTick - kSpace - kCapital, kScale, kFaint, text);
        }
        for (std::int64_t i = 0; i < map_.axes.rows.size; i += y_step) {
            const int y = origin_.y + map_.axes.rows.pixel(i);
            const std::string text = grouped(i);
            canvas_.fill(origin_.x - 1 - kTick, y, kTick, 1, kFaint);
            canvas_.text(origin_.x - kTick - kSpace - label_width(text), y - kCapital / 2, kScale, kFaint, text);
        }
    }

    void draw_legend() {
        const int x = legend_.x;
        int y = legend_.y;
        legend_line(y, "Format", "tiles", "nonzeros", kFaint);
        for (const auto& row : rows_) {
            y += kLine;
            canvas_.fill(x, y, kCapital, kCapital, row.color);
            legend_line(y, row.name, percent(share(row.tiles, report_.matrix.grid.tiles)),
                        percent(share(row.nnz, report_.matrix.nnz)), kInk);
        }
        draw_notes(notes_.x, notes_.y);
    }

    void legend_line(int y, const std::string& name, const std::string& tiles, const std::string& nnz, Rgb ink) {
        canvas_.text(legend_.x + kCapital + kSpace, y, kScale, ink, name);
        canvas_.text(legend_.x + kTilesColumn - label_width(tiles), y, kScale, ink, tiles);
        canvas_.text(legend_.x + kLegendWidth - label_width(nnz), y, kScale, ink, nnz);
    }

    /// How to read cells, colours and shades.
    void draw_notes(int x, int y) {
        canvas_.text(x, y, kScale, kFaint, cell_note(map_.axes));
        canvas_.text(x, y + kLine, kScale, kFaint, "Colour: most of its nonzeros");
        if (fill_.highest() <= 0) return;
        const std::string low = percent(fill_.lowest());
        const std::string high = percent(fill_.highest());
        if (fill_.uniform() || !map_.nonzeros.empty()) {
            canvas_.text(x, y + 2 * kLine, kScale, kFaint, fmt::format("Filled: {} to {}", low, high));
            return;
        }
        canvas_.text(x, y + 2 * kLine, kScale, kFaint, "Shade: share of it that is filled");
        draw_shades(x, y + 3 * kLine, low, high);
    }

    /// The strengths from the emptiest to the fullest cell.
    void draw_shades(int x, int y, const std::string& low, const std::string& high) {
        canvas_.text(x, y, kScale, kInk, low);
        const int left = x + label_width(low) + kSpace;
        const int bar = kLegendWidth - label_width(low) - label_width(high) - 2 * kSpace;
        for (int i = 0; i < bar; ++i) {
            canvas_.fill(left + i, y, 1, kCapital, tint(kInk, kFaintest + (1 - kFaintest) * i / bar));
        }
        canvas_.text(left + bar + kSpace, y, kScale, kInk, high);
    }

    const TileMap& map_;
    const StatsReport& report_;
    FillScale fill_;
    std::vector<LegendRow> rows_;
    std::string subtitle_;
    MapOrigin origin_;
    MapOrigin legend_;
    MapOrigin notes_;
    Canvas canvas_;
};

}  // namespace

Rgb format_color(int id) { return kPalette[static_cast<std::size_t>(id) % kPalette.size()]; }

MapOrigin map_origin(const TileMap& map) {
    const int row_labels = label_width(grouped(map.axes.rows.size));
    return {kMargin + row_labels + kTick + kSpace, kMargin + kTitleHeight + kTick + kSpace + kCapital};
}

Canvas draw_tile_map(const TileMap& map, const StatsReport& report) { return Picture(map, report).draw(); }

}  // namespace tilespmv::tools
