#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "tools/stats/cells.hpp"
#include "tools/stats/text.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

/// By `StripKind`.
constexpr std::array<std::string_view, kStripKindNames.size()> kNames{
    "one pattern a run", "own patterns", "alone in a run", "two groups of lanes", "empty", "by rank", "16-bit CSR"};

/// Nonzeros over stored values of strips.
std::string fill(const StripKindStatistics& kind, offset_t nnz_in_strips) {
    return percent_or_dash(nnz_in_strips, nnz_in_strips + kind.holes);
}

offset_t nnz_in_strips(const StripStatistics& s) { return s.all().nnz - s.of(StripKind::csr16).nnz; }

TextTable::Row kind_row(std::string_view name, const StripKindStatistics& kind, const StripKindStatistics& all,
                        offset_t in_strips) {
    return {std::string(name),
            count_or_dash(kind.tile_rows),
            percent_or_dash(kind.tile_rows, all.tile_rows),
            count_or_dash(kind.runs),
            count_or_dash(kind.nnz),
            percent_or_dash(kind.nnz, all.nnz),
            count_or_dash(kind.slots),
            count_or_dash(kind.holes),
            fill(kind, in_strips),
            bytes_or_dash(kind.bytes()),
            percent_or_dash(kind.bytes(), all.bytes()),
            per_nnz(kind.bytes(), kind.nnz),
            bytes_or_dash(kind.column_bytes),
            bytes_or_dash(kind.value_bytes)};
}

/// A matrix of the table; the shares of kinds are those of tile rows and of nonzeros.
TextTable::Row matrix_row(const StatsReport& report) {
    const StripStatistics& s = report.strips->statistics;
    const StripKindStatistics all = s.all();
    TextTable::Row row{report.name, report.strips->origin, report.value_type, grouped(all.tile_rows), grouped(all.nnz)};
    for (const auto& kind : s.kinds) {
        row.push_back(kind.tile_rows == 0 ? "-"
                                          : fmt::format("{} / {}", whole_percent(kind.tile_rows, all.tile_rows),
                                                        whole_percent(kind.nnz, all.nnz)));
    }
    for (auto cell : {fill(all, nnz_in_strips(s)), per_nnz(all.bytes(), all.nnz),
                      fmt::format("{:.3f}", share(all.bytes(), report.matrix.csr_bytes))}) {
        row.push_back(std::move(cell));
    }
    return row;
}

}  // namespace

std::string strips_text(const StatsReport& report) {
    if (!report.strips) return "";
    const StripStatistics& s = report.strips->statistics;
    const StripKindStatistics all = s.all();
    TextTable table;
    table.add({"Tile rows", "", "", "runs", "nonzeros", "", "slots", "holes", "fill", "bytes", "", "per nonzero",
               "columns", "values"});
    for (std::size_t i = 0; i < s.kinds.size(); ++i) {
        const bool is_csr16 = i == static_cast<std::size_t>(StripKind::csr16);
        table.add(kind_row(kNames[i], s.kinds[i], all, is_csr16 ? 0 : s.kinds[i].nnz));
    }
    table.add(kind_row("all", all, all, nnz_in_strips(s)));
    return fmt::format("Strips: {}\n\n{}\n", report.strips->origin, table.str());
}

std::string strip_matrices_text(std::span<const StatsReport> reports) {
    TextTable table;
    TextTable::Row header{"Matrix", "strips", "values", "tile rows", "nonzeros"};
    for (const auto name : kNames) header.emplace_back(name);
    for (const auto* name : {"fill", "bytes / nonzero", "bytes / CSR"}) header.emplace_back(name);
    table.add(header);
    const auto has_strips = [](const StatsReport& report) { return report.strips.has_value(); };
    for (const auto& report : reports) {
        if (has_strips(report)) table.add(matrix_row(report));
    }
    if (std::ranges::none_of(reports, has_strips)) return "";
    return "kinds of tile rows: percent of the tile rows / of the nonzeros\n\n" + table.str();
}

}  // namespace tilespmv::tools
