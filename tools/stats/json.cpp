#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/stats/report.hpp"

namespace tilespmv::tools {
namespace {

using Json = nlohmann::ordered_json;

Json histogram_json(const TileGridStatistics& grid) {
    Json bins = Json::object();
    for (std::size_t i = 0; i < kTileNnzBins.size(); ++i) bins[tile_nnz_bin_name(i)] = grid.histogram[i];
    return bins;
}

Json grid_json(const TileGridStatistics& grid) {
    return {{"tiles", grid.tiles},
            {"possible", grid.possible},
            {"share", share(grid.tiles, grid.possible)},
            {"nnz_mean", grid.mean},
            {"nnz_median", grid.median},
            {"nnz_max", grid.max},
            {"nnz_histogram", histogram_json(grid)}};
}

Json row_json(const MatrixStatistics& m) {
    return {{"mean", m.row_length.mean},
            {"max", m.row_length.max},
            {"variation", m.row_length.variation},
            {"empty_rows", m.empty_rows}};
}

Json tile_row_json(const TileRowStatistics& rows) {
    return {
        {"nonempty", rows.nnz.count},      {"nnz_mean", rows.nnz.mean},
        {"nnz_max", rows.nnz.max},         {"max_over_mean", ratio(static_cast<double>(rows.nnz.max), rows.nnz.mean)},
        {"variation", rows.nnz.variation}, {"heaviest_percent_share", rows.heaviest_share}};
}

Json storage_json(const MatrixStatistics& m) {
    const auto size = [&](offset_t bytes) -> Json {
        return {{"bytes", bytes}, {"bytes_per_nnz", share(bytes, m.nnz)}};
    };
    Json bsr = size(m.bsr.bytes);
    bsr["block_size"] = m.bsr.block_size;
    bsr["blocks"] = m.bsr.blocks;
    return {{"csr", size(m.csr_bytes)}, {"coo", size(m.coo_bytes)}, {"ell", size(m.ell_bytes)}, {"bsr", bsr}};
}

Json format_json(const FormatStatistics& f, const TiledStatistics& tiled, const MatrixStatistics& m) {
    return {{"tiles", f.tiles},
            {"tiles_share", share(f.tiles, m.grid.tiles)},
            {"nnz", f.nnz},
            {"nnz_share", share(f.nnz, m.nnz)},
            {"padding", f.padding},
            {"value_bytes", f.value_bytes},
            {"index_bytes", f.index_bytes},
            {"mask_bytes", f.mask_bytes},
            {"level1_bytes", f.level1_bytes},
            {"bytes", f.bytes()},
            {"bytes_share", share(f.bytes(), tiled.bytes)},
            {"published_bytes", f.published_bytes()}};
}

Json published_json(const PublishedLayout& p, const MatrixStatistics& m) {
    return {{"level1_bytes", p.level1_bytes},
            {"index_bytes", p.index_bytes},
            {"value_bytes", p.value_bytes},
            {"deferred_bytes", p.deferred_bytes},
            {"bytes", p.bytes()},
            {"bytes_per_nnz", share(p.bytes(), m.nnz)},
            {"bytes_over_csr", share(p.bytes(), m.csr_bytes)}};
}

Json selector_json(const SelectorStatistics& s, const MatrixStatistics& m) {
    const TiledStatistics& t = s.tiled;
    Json formats = Json::object();
    for (const auto& f : t.formats) formats[std::string(f.name)] = format_json(f, t, m);
    return {{"selector", s.selector},
            {"tiles", t.tiles},
            {"formats", formats},
            {"level1_bytes", t.level1_bytes},
            {"index_bytes", t.index_bytes},
            {"value_bytes", t.value_bytes},
            {"deferred",
             {{"tiles", m.grid.tiles - t.tiles},
              {"nnz", t.deferred.nnz},
              {"nnz_share", share(t.deferred.nnz, m.nnz)},
              {"rows", t.deferred.rows},
              {"bytes", t.deferred.bytes}}},
            {"bytes", t.bytes},
            {"bytes_per_nnz", t.bytes_per_nnz},
            {"bytes_over_csr", share(t.bytes, m.csr_bytes)},
            {"published_layout", published_json(t.published, m)}};
}

/// What does not depend on the selector.
Json matrix_json(const StatsReport& report) {
    const MatrixStatistics& m = report.matrix;
    return {{"matrix", report.name},
            {"value_type", report.value_type},
            {"rows", m.rows},
            {"cols", m.cols},
            {"nnz", m.nnz},
            {"row_length", row_json(m)},
            {"tile_grid", grid_json(m.grid)},
            {"tile_rows", tile_row_json(m.tile_rows)},
            {"storage", storage_json(m)}};
}

/// RFC 4180: quotes where a comma or a quote needs them.
std::string csv_field(const Json& value) {
    if (!value.is_string()) return value.dump();
    auto text = value.get<std::string>();
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted;
    for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
    return fmt::format("\"{}\"", quoted);
}

/// Columns of a CSV file and one row of it.
struct CsvRow {
    std::vector<std::string> columns;
    std::vector<std::string> fields;

    void add(const Json& object, const std::string& prefix = "") {
        for (const auto& [key, value] : object.items()) {
            if (value.is_object()) {
                add(value, fmt::format("{}{}.", prefix, key));
            } else {
                columns.push_back(prefix + key);
                fields.push_back(csv_field(value));
            }
        }
    }

    /// Empty if it has no such column.
    [[nodiscard]] std::string field(const std::string& column) const {
        const auto at = static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
        return at < fields.size() ? fields[at] : "";
    }
};

std::vector<CsvRow> csv_rows(const StatsReport& report) {
    CsvRow common;
    common.add(report.error.empty() ? matrix_json(report) : Json({{"matrix", report.name}}));
    std::vector<CsvRow> rows;
    const auto add_row = [&](const Json& json) {
        rows.push_back(common);
        rows.back().add(json);
    };
    for (const auto& s : report.selectors) add_row(selector_json(s, report.matrix));
    if (!report.error.empty()) add_row({{"error", report.error}});
    return rows;
}

std::vector<std::string> csv_columns(std::span<const CsvRow> rows) {
    std::vector<std::string> columns;
    for (const CsvRow& row : rows) {
        for (const auto& column : row.columns) {
            if (column != "error" && std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
        }
    }
    columns.emplace_back("error");
    return columns;
}

Json report_json(const StatsReport& report) {
    if (!report.error.empty()) return {{"matrix", report.name}, {"error", report.error}};
    Json json = matrix_json(report);
    json["selectors"] = Json::array();
    for (const auto& s : report.selectors) json["selectors"].push_back(selector_json(s, report.matrix));
    return json;
}

}  // namespace

nlohmann::ordered_json to_json(std::span<const StatsReport> reports) {
    if (reports.size() == 1) return report_json(reports.front());
    Json all = Json::array();
    for (const auto& report : reports) all.push_back(report_json(report));
    return all;
}

std::string to_csv(std::span<const StatsReport> reports) {
    std::vector<CsvRow> rows;
    for (const auto& report : reports) std::ranges::move(csv_rows(report), std::back_inserter(rows));
    const auto columns = csv_columns(rows);
    std::string text = fmt::format("{}\n", fmt::join(columns, ","));
    for (const CsvRow& row : rows) {
        std::vector<std::string> fields;
        for (const auto& column : columns) fields.push_back(row.field(column));
        text += fmt::format("{}\n", fmt::join(fields, ","));
    }
    return text;
}

}  // namespace tilespmv::tools
