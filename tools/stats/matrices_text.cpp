#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tile/io/printable.hpp"
#include "tools/stats/cells.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

/// A row of the table.
struct TiledMatrix {
    const StatsReport& report;
    const SelectorStatistics& selector;
};

/// A column that is left out if all rows have the same in it.
struct Distinction {
    std::string_view name;
    std::string (*text)(const TiledMatrix&);
};
constexpr std::array kDistinctions{
    Distinction{"selector", [](const TiledMatrix& m) { return m.selector.selector; }},
    Distinction{"values", [](const TiledMatrix& m) { return m.report.value_type; }},
};

std::vector<TiledMatrix> tiled_matrices(std::span<const StatsReport> reports) {
    std::vector<TiledMatrix> all;
    for (const auto& report : reports) {
        for (const auto& selector : report.selectors) all.push_back({report, selector});
    }
    return all;
}

/// Shares of the tiles and of the nonzeros.
std::string shares(offset_t tiles, offset_t nnz, const MatrixStatistics& m) {
    if (tiles == 0 && nnz == 0) return "-";
    return fmt::format("{} / {}", whole_percent(tiles, m.grid.tiles), whole_percent(nnz, m.nnz));
}

std::string times(offset_t bytes, offset_t csr_bytes) { return fmt::format("{:.3f}", share(bytes, csr_bytes)); }

TextTable::Row header(const TiledStatistics& tiled, std::span<const Distinction> distinctions) {
    TextTable::Row row{"Matrix"};
    for (const auto& distinction : distinctions) row.emplace_back(distinction.name);
    for (const auto* name : {"rows", "nonzeros", "tiles"}) row.emplace_back(name);
    for (const auto& format : tiled.formats) row.emplace_back(format.name);
    for (const auto* name : {"deferred", "bytes / CSR", "as published"}) row.emplace_back(name);
    return row;
}

TextTable::Row matrix_row(const TiledMatrix& matrix, std::span<const Distinction> distinctions) {
    const MatrixStatistics& m = matrix.report.matrix;
    const TiledStatistics& t = matrix.selector.tiled;
    TextTable::Row row{matrix.report.name};
    for (const auto& distinction : distinctions) row.push_back(distinction.text(matrix));
    for (const offset_t count : {offset_t{m.rows}, m.nnz, m.grid.tiles}) row.push_back(grouped(count));
    for (const auto& format : t.formats) row.push_back(shares(format.tiles, format.nnz, m));
    row.push_back(shares(m.grid.tiles - t.tiles, t.deferred.nnz, m));
    row.push_back(times(t.bytes, m.csr_bytes));
    row.push_back(times(t.published.bytes(), m.csr_bytes));
    return row;
}

/// Says once what all rows have in common, and returns the columns for what they have not.
std::vector<Distinction> tell_common(std::span<const TiledMatrix> matrices, std::string& text) {
    std::vector<Distinction> distinctions;
    for (const Distinction& distinction : kDistinctions) {
        const auto first = distinction.text(matrices.front());
        if (std::ranges::all_of(matrices, [&](const auto& m) { return distinction.text(m) == first; })) {
            text += fmt::format("{}: {}\n", distinction.name, first);
        } else {
            distinctions.push_back(distinction);
        }
    }
    return distinctions;
}

std::string table_text(std::span<const TiledMatrix> matrices) {
    if (matrices.empty()) return "";
    std::string text;
    const auto distinctions = tell_common(matrices, text);
    TextTable table;
    table.add(header(matrices.front().selector.tiled, distinctions));
    for (const auto& matrix : matrices) table.add(matrix_row(matrix, distinctions));
    return text + "formats and deferred: percent of the tiles / of the nonzeros\n\n" + table.str();
}

}  // namespace

std::string matrices_text(std::span<const StatsReport> reports) {
    std::string text = table_text(tiled_matrices(reports));
    for (const auto& report : reports) {
        if (!report.error.empty()) text += fmt::format("failed: {}: {}\n", report.name, printable(report.error));
    }
    return text;
}

}  // namespace tilespmv::tools
