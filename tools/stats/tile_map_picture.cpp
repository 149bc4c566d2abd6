#include "tools/stats/tile_map_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tools/text/number_text.hpp"

namespace tilespmv::tools {
namespace {

constexpr std::array<Rgb, 10> kPalette{"#d54300", "#1b8fea", "#3dbb5c", "#d9b600", "#a2108e",
                                       "#55002a", "#1f12c8", "#00736b", "#8c5a2b", "#f078b0"};
constexpr Rgb kInk = "#222222";
constexpr Rgb kFaint = "#777777";

constexpr TextStyle kTitle{.size = 38, .color = kInk, .bold = true};
constexpr TextStyle kText{.size = 27, .color = kInk};
constexpr TextStyle kNote{.size = 27, .color = kFaint};
constexpr int kTitleCapital = 28;  // height of a capital
constexpr int kCapital = 20;
constexpr int kLine = 36;    // from one line of text to the next
constexpr int kMargin = 30;  // around everything, and between map and legend
constexpr int kTick = 9;
constexpr int kSpace = 12;  // between a label and what it stands at
constexpr int kTitleHeight = kTitleCapital + kMargin / 2 + kCapital + kMargin;
constexpr int kLegendWidth = 555;
constexpr int kTilesColumn = 360;  // right edge of the legend's first numbers
constexpr int kNoteLines = 4;
constexpr int kGapFrom = 8;        // tiles of this many pixels or more stand apart
constexpr double kFaintest = 0.5;  // strength of the emptiest cell
constexpr double kBehindDots = 0.25;

int label_width(std::string_view text) { return static_cast<int>(std::ceil(text_width(text, kText))); }

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

class Drawing {
public:
    Drawing(const TileMap& map, const StatsReport& report)
        : map_(map),
          report_(report),
          fill_(map),
          rows_(legend_rows(report)),
          subtitle_(make_subtitle(report)),
          origin_(map_origin(map)),
          legend_(place_legend()),
          notes_(place_notes()),
          picture_(width(), height(), report.name) {}

    Picture draw() && {
        text(origin_.x, kMargin, report_.name, kTitle);
        text(origin_.x, kMargin + kTitleCapital + kMargin / 2, subtitle_, kNote);
        draw_map();
        draw_ticks();
        draw_legend();
        return std::move(picture_);
    }

private:
    static std::string make_subtitle(const StatsReport& r) {
        return fmt::format(
            "{} x {} \u00b7 {} nonzeros \u00b7 {} tiles ({} of the grid) \u00b7 {:.2f} bytes per nonzero \u00b7 "
            "selector {}",
            grouped(r.matrix.rows), grouped(r.matrix.cols), grouped(r.matrix.nnz), grouped(r.matrix.grid.tiles),
            percent(share(r.matrix.grid.tiles, r.matrix.grid.possible)), r.selectors[0].tiled.bytes_per_nnz,
            r.selectors[0].selector);
    }

    /// The top of its capitals is at y.
    void text(int x, int y, std::string_view text, TextStyle style, Anchor anchor = Anchor::start) {
        style.anchor = anchor;
        picture_.text(x, y + (style.bold ? kTitleCapital : kCapital), text, style);
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
        const int title = std::max(static_cast<int>(text_width(report_.name, kTitle)), label_width(subtitle_));
        return kMargin + std::max({map_right(), origin_.x + title, legend_.x + kLegendWidth});
    }
    [[nodiscard]] int height() const {
        return kMargin + std::max({map_bottom(), legend_.y + table_height(), notes_.y + kNoteLines * kLine});
    }

    [[nodiscard]] Rgb color(const MapCell& cell) const {
        return cell.kind == map_.deferred ? kDeferredColor : format_color(cell.kind);
    }

    void draw_map() {
        const int width = map_.axes.cols.pixels;
        const int height = map_.axes.rows.pixels;
        Image image(width, height);
        draw_cells(image);
        draw_nonzeros(image);
        picture_.image(origin_.x, origin_.y, std::move(image));
        picture_.rectangle(origin_.x - 1, origin_.y - 1, width + 2, 1, kFaint);
        picture_.rectangle(origin_.x - 1, map_bottom(), width + 2, 1, kFaint);
        picture_.rectangle(origin_.x - 1, origin_.y, 1, height, kFaint);
        picture_.rectangle(map_right(), origin_.y, 1, height, kFaint);
    }

    void draw_cells(Image& image) const {
        const MapAxes& axes = map_.axes;
        for (int r = 0; r < axes.rows.cells; ++r) {
            for (int c = 0; c < axes.cols.cells; ++c) {
                if (!map_.at(r, c).empty()) draw_cell(image, r, c);
            }
        }
    }

    void draw_cell(Image& image, int r, int c) const {
        const auto extent = [](const MapAxis& axis, int cell) {
            const int begin = cell * axis.pixels_per_cell;
            const int end = std::min(begin + axis.pixels_per_cell, axis.pixels);
            return std::pair(begin, end - begin - gap(axis));
        };
        const auto [y, height] = extent(map_.axes.rows, r);
        const auto [x, width] = extent(map_.axes.cols, c);
        const double strength = map_.nonzeros.empty() ? fill_.strength(map_.fill(r, c)) : kBehindDots;
        image.fill(x, y, width, height, tint(color(map_.at(r, c)), strength));
    }

    /// The nonzeros themselves, where they are large enough.
    void draw_nonzeros(Image& image) const {
        const auto& [rows, cols] = map_.axes;
        const auto size = [](const MapAxis& axis) { return axis.pixels_per_cell / kTileSize - gap(axis); };
        for (const auto& [r, c] : map_.nonzeros) {
            image.fill(cols.pixel(c), rows.pixel(r), size(cols), size(rows),
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
            picture_.rectangle(x, origin_.y - 1 - kTick, 1, kTick, kFaint);
            text(x, origin_.y - kTick - kSpace - kCapital, grouped(i), kNote, Anchor::middle);
        }
        for (std::int64_t i = 0; i < map_.axes.rows.size; i += y_step) {
            const int y = origin_.y + map_.axes.rows.pixel(i);
            picture_.rectangle(origin_.x - 1 - kTick, y, kTick, 1, kFaint);
            text(origin_.x - kTick - kSpace, y - kCapital / 2, grouped(i), kNote, Anchor::end);
        }
    }

    void draw_legend() {
        int y = legend_.y;
        legend_line(y, "Format", "tiles", "nonzeros", kNote);
        for (const auto& row : rows_) {
            y += kLine;
            picture_.rectangle(legend_.x, y, kCapital, kCapital, row.color);
            legend_line(y, row.name, percent(share(row.tiles, report_.matrix.grid.tiles)),
                        percent(share(row.nnz, report_.matrix.nnz)), kText);
        }
        draw_notes(notes_.x, notes_.y);
    }

    void legend_line(int y, std::string_view name, std::string_view tiles, std::string_view nnz,
                     const TextStyle& style) {
        text(legend_.x + kCapital + kSpace, y, name, style);
        text(legend_.x + kTilesColumn, y, tiles, style, Anchor::end);
        text(legend_.x + kLegendWidth, y, nnz, style, Anchor::end);
    }

    /// How to read cells, colours and shades.
    void draw_notes(int x, int y) {
        text(x, y, cell_note(map_.axes), kNote);
        text(x, y + kLine, "Colour: most of its nonzeros", kNote);
        if (fill_.highest() <= 0) return;
        const std::string low = percent(fill_.lowest());
        const std::string high = percent(fill_.highest());
        if (fill_.uniform() || !map_.nonzeros.empty()) {
            text(x, y + 2 * kLine, fmt::format("Filled: {} to {}", low, high), kNote);
            return;
        }
        text(x, y + 2 * kLine, "Shade: share of it that is filled", kNote);
        draw_shades(x, y + 3 * kLine, low, high);
    }

    /// The strengths from the emptiest to the fullest cell.
    void draw_shades(int x, int y, const std::string& low, const std::string& high) {
        text(x, y, low, kText);
        text(x + kLegendWidth, y, high, kText, Anchor::end);
        const int left = label_width(low) + kSpace;
        Image bar(kLegendWidth - left - label_width(high) - kSpace, kCapital);
        for (int i = 0; i < bar.width(); ++i) {
            bar.fill(i, 0, 1, kCapital, tint(kInk, kFaintest + (1 - kFaintest) * i / bar.width()));
        }
        picture_.image(x + left, y, std::move(bar));
    }

    const TileMap& map_;
    const StatsReport& report_;
    FillScale fill_;
    std::vector<LegendRow> rows_;
    std::string subtitle_;
    MapOrigin origin_;
    MapOrigin legend_;
    MapOrigin notes_;
    Picture picture_;
};

}  // namespace

Rgb format_color(int id) { return kPalette[static_cast<std::size_t>(id) % kPalette.size()]; }

MapOrigin map_origin(const TileMap& map) {
    const int row_labels = label_width(grouped(map.axes.rows.size));
    return {kMargin + row_labels + kTick + kSpace, kMargin + kTitleHeight + kTick + kSpace + kCapital};
}

Picture draw_tile_map(const TileMap& map, const StatsReport& report) { return Drawing(map, report).draw(); }

}  // namespace tilespmv::tools
