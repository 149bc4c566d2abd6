#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "tools/stats/cells.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

constexpr std::size_t kBarLength = 40;

/// A mean with four digits, or whole and grouped if it has more.
std::string mean_text(double mean) { return mean < 999.5 ? fmt::format("{:.4g}", mean) : grouped(std::llround(mean)); }

std::string times(double factor) { return fmt::format("{:.2f} x", factor); }

std::string overview(const StatsReport& report) {
    const MatrixStatistics& m = report.matrix;
    std::string text = fmt::format("{}: {} x {}, {} nonzeros, {}\n\n", report.name, grouped(m.rows), grouped(m.cols),
                                   grouped(m.nnz), report.value_type);
    text += fmt::format("Rows       {}, {} of them empty; nonzeros per row: mean {}, max {}, variation {:.2f}\n",
                        grouped(m.rows), grouped(m.empty_rows), mean_text(m.row_length.mean), grouped(m.row_length.max),
                        m.row_length.variation);
    text += fmt::format("Tiles      {} of {} hold nonzeros ({}); per tile: mean {}, median {:g}, max {}\n",
                        grouped(m.grid.tiles), grouped(m.grid.possible), percent(share(m.grid.tiles, m.grid.possible)),
                        mean_text(m.grid.mean), m.grid.median, m.grid.max);
    const CountSpread& rows = m.tile_rows.nnz;
    text += fmt::format(
        "Tile rows  {} of {} hold nonzeros; per tile row: mean {}, max {} ({}), variation {:.2f}; "
        "the heaviest 1% hold {}\n\n",
        grouped(rows.count), grouped(div_up(m.rows, kTileSize)), mean_text(rows.mean), grouped(rows.max),
        times(ratio(static_cast<double>(rows.max), rows.mean)), rows.variation, percent(m.tile_rows.heaviest_share));
    return text;
}

std::string bar(offset_t n, offset_t longest) {
    if (n == 0) return "";
    const auto length = static_cast<std::size_t>(std::lround(share(n, longest) * kBarLength));
    return std::string(std::max<std::size_t>(1, length), '#');
}

std::string histogram(const TileGridStatistics& grid) {
    const offset_t longest = *std::max_element(grid.histogram.begin(), grid.histogram.end());
    TextTable table;
    table.add({"Nonzeros", "tiles", "share"});
    for (std::size_t i = 0; i < grid.histogram.size(); ++i) {
        table.add({tile_nnz_bin_name(i), count_or_dash(grid.histogram[i]),
                   percent_or_dash(grid.histogram[i], grid.tiles),
                   fmt::format("{:<{}}", bar(grid.histogram[i], longest), kBarLength)});
    }
    return table.str() + '\n';
}

/// One line of the format table: what holds so many tiles and nonzeros in so many bytes.
TextTable::Row share_row(std::string name, const StatsReport& report, offset_t tiles, offset_t nnz, offset_t bytes) {
    const MatrixStatistics& m = report.matrix;
    const offset_t all_bytes = report.selectors[0].tiled.bytes;
    return {std::move(name),
            count_or_dash(tiles),
            percent_or_dash(tiles, m.grid.tiles),
            count_or_dash(nnz),
            percent_or_dash(nnz, m.nnz),
            bytes_or_dash(bytes),
            percent_or_dash(bytes, all_bytes),
            per_nnz(bytes, nnz)};
}

/// The same with the parts of the bytes.
TextTable::Row format_row(const FormatStatistics& f, const StatsReport& report) {
    auto row = share_row(std::string(f.name), report, f.tiles, f.nnz, f.bytes());
    for (auto part : {bytes_or_dash(f.level1_bytes), bytes_or_dash(f.index_bytes), bytes_or_dash(f.value_bytes),
                      count_or_dash(f.padding), bytes_or_dash(f.published_bytes())}) {
        row.push_back(std::move(part));
    }
    return row;
}

/// Everything about the first selector: its formats, and where the bytes are.
std::string format_table(const StatsReport& report) {
    const TiledStatistics& t = report.selectors[0].tiled;
    TextTable table;
    table.add({"Format", "tiles", "", "nonzeros", "", "bytes", "", "per nonzero", "level 1", "index", "values",
               "padding", "as published"});
    FormatStatistics all{.name = "all tiles"};
    for (const auto& f : t.formats) {
        table.add(format_row(f, report));
        all.tiles += f.tiles;
        all.nnz += f.nnz;
        all.padding += f.padding;
        all.level1_bytes += f.level1_bytes;
    }
    const offset_t tile_row_bytes = t.level1_bytes - all.level1_bytes;
    const offset_t published_tile_row_bytes = t.published.level1_bytes - t.tiles * PublishedLayout::kTileBytes;
    table.add({"tile rows", "", "", "", "", bytes_or_dash(tile_row_bytes), percent_or_dash(tile_row_bytes, t.bytes), "",
               bytes_or_dash(tile_row_bytes), "", "", "", bytes_or_dash(published_tile_row_bytes)});
    all.level1_bytes = t.level1_bytes;
    all.index_bytes = t.index_bytes;
    all.value_bytes = t.value_bytes;
    auto all_row = format_row(all, report);
    all_row.back() = bytes_or_dash(t.published.bytes() - t.published.deferred_bytes);
    table.add(std::move(all_row));
    auto deferred_row =
        share_row("deferred", report, report.matrix.grid.tiles - t.tiles, t.deferred.nnz, t.deferred.bytes);
    for (auto cell :
         {std::string(), std::string(), std::string(), std::string(), bytes_or_dash(t.published.deferred_bytes)})
        deferred_row.push_back(std::move(cell));
    table.add(std::move(deferred_row));
    return fmt::format("Selector: {}\n\n{}\n", report.selectors[0].selector, table.str());
}

void add_size(TextTable& table, std::string name, offset_t bytes, const MatrixStatistics& m) {
    table.add({std::move(name), byte_size(bytes), per_nnz(bytes, m.nnz), times(share(bytes, m.csr_bytes))});
}

void add_usual_formats(TextTable& table, const MatrixStatistics& m) {
    add_size(table, "CSR (32-bit)", m.csr_bytes, m);
    add_size(table, "COO", m.coo_bytes, m);
    add_size(table, "ELL", m.ell_bytes, m);
    add_size(table, fmt::format("BSR {0} x {0}", m.bsr.block_size), m.bsr.bytes, m);
}

std::string storage(const StatsReport& report) {
    const MatrixStatistics& m = report.matrix;
    TextTable table;
    table.add({"Storage", "bytes", "per nonzero", "of CSR"});
    for (const auto& s : report.selectors) {
        const TiledStatistics& t = s.tiled;
        add_size(table, "tiled, " + s.selector, t.bytes, m);
        if (report.selectors.size() == 1) {
            add_size(table, "  level 1", t.level1_bytes, m);
            add_size(table, "  level 2 index", t.index_bytes, m);
            add_size(table, "  level 2 values", t.value_bytes, m);
            add_size(table, "  deferred", t.deferred.bytes, m);
        }
        add_size(table, "  as published", t.published.bytes(), m);
    }
    add_usual_formats(table, m);
    return table.str();
}

/// Several selectors, a column each.
std::string comparison(const StatsReport& report) {
    const MatrixStatistics& m = report.matrix;
    TextTable table;
    const auto row = [&](std::string name, const std::function<std::string(const TiledStatistics&)>& cell) {
        TextTable::Row cells{std::move(name)};
        for (const auto& s : report.selectors) cells.push_back(cell(s.tiled));
        table.add(std::move(cells));
    };
    const auto shares = [&](offset_t FormatStatistics::*count, offset_t whole, auto deferred) {
        for (std::size_t i = 0; i < report.selectors[0].tiled.formats.size(); ++i) {
            row(fmt::format("  {}", report.selectors[0].tiled.formats[i].name),
                [=](const auto& t) { return percent_or_dash(t.formats[i].*count, whole); });
        }
        row("  deferred", [=](const auto& t) { return percent_or_dash(deferred(t), whole); });
    };
    TextTable::Row names{"Selector"};
    for (const auto& s : report.selectors) names.push_back(s.selector);
    table.add(std::move(names));
    row("Tiles", [](const auto& t) { return grouped(t.tiles); });
    shares(&FormatStatistics::tiles, m.grid.tiles, [&](const auto& t) { return m.grid.tiles - t.tiles; });
    row("Tiled nonzeros", [&](const auto& t) { return grouped(m.nnz - t.deferred.nnz); });
    shares(&FormatStatistics::nnz, m.nnz, [](const auto& t) { return t.deferred.nnz; });
    row("Padding", [](const auto& t) {
        offset_t padding = 0;
        for (const auto& f : t.formats) padding += f.padding;
        return count_or_dash(padding);
    });
    row("Bytes", [](const auto& t) { return byte_size(t.bytes); });
    row("  level 1", [](const auto& t) { return bytes_or_dash(t.level1_bytes); });
    row("  level 2 index", [](const auto& t) { return bytes_or_dash(t.index_bytes); });
    row("  level 2 values", [](const auto& t) { return bytes_or_dash(t.value_bytes); });
    row("  deferred", [](const auto& t) { return bytes_or_dash(t.deferred.bytes); });
    return table.str() + '\n';
}

}  // namespace

std::string tile_nnz_bin_name(std::size_t bin) {
    const int first = bin == 0 ? 1 : kTileNnzBins[bin - 1] + 1;
    const int last = kTileNnzBins[bin];
    return first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
}

std::string matrix_text(const StatsReport& report) {
    std::string text = overview(report) + histogram(report.matrix.grid);
    if (report.selectors.size() == 1) text += format_table(report);
    if (report.selectors.size() > 1) text += comparison(report);
    return text + storage(report);
}

std::string to_text(std::span<const StatsReport> reports) {
    return reports.size() == 1 ? matrix_text(reports.front()) : matrices_text(reports);
}

}  // namespace tilespmv::tools
