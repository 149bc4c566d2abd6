#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/bench/report.hpp"
#include "tools/text/executed_text.hpp"

namespace tilespmv::tools {
namespace {

/// A text as a cell of CSV, in quotes.
std::string in_quotes(const std::string& text) {
    std::string escaped = text;
    for (auto at = escaped.find('"'); at != std::string::npos; at = escaped.find('"', at + 2))
        escaped.insert(at, 1, '"');
    return '"' + escaped + '"';
}

using bench::Result;

// "coo:tiles:nonzeros csr:tiles:nonzeros"
std::string format_cell(const std::vector<bench::FormatShare>& formats) {
    std::string text;
    for (const auto& f : formats) text += fmt::format("{}{}:{}:{}", text.empty() ? "" : " ", f.name, f.tiles, f.nnz);
    return in_quotes(text);
}

// "ell:nonzeros;csr:nonzeros"
std::string executed_cell(const std::vector<ExecutedPart>& parts) {
    std::string text;
    for (const auto& p : parts) text += fmt::format("{}{}:{}", text.empty() ? "" : ";", part_name(p), p.nnz);
    return in_quotes(text);
}

struct CsvRow {
    const Result& r;
    bench::Metrics m;
};

struct CsvColumn {
    std::string_view name;
    std::string (*cell)(const CsvRow&);
};

template <class T>
std::string cell(const T& value) {
    return fmt::format("{}", value);
}

// Empty if it was not measured.
std::string seconds_cell(const std::vector<double>& samples, double median) {
    return samples.empty() ? "" : cell(median);
}

std::string mode_cell(const Result& r, bench::Mode mode) {
    return seconds_cell(timing(r, mode).seconds, median_seconds(r, mode));
}

constexpr std::array kColumns{
    CsvColumn{"matrix", [](const CsvRow& row) { return in_quotes(row.r.id.matrix); }},
    CsvColumn{"operator", [](const CsvRow& row) { return in_quotes(row.r.id.operator_name); }},
    CsvColumn{"selector", [](const CsvRow& row) { return in_quotes(row.r.id.selector); }},
    CsvColumn{"values", [](const CsvRow& row) { return row.r.id.values; }},
    CsvColumn{"accumulator", [](const CsvRow& row) { return row.r.id.accumulator; }},
    CsvColumn{"device", [](const CsvRow& row) { return in_quotes(row.r.id.device); }},
    CsvColumn{"threads", [](const CsvRow& row) { return cell(row.r.id.threads); }},
    CsvColumn{"status", [](const CsvRow& row) { return cell(status_name(row.r.status)); }},
    CsvColumn{"error", [](const CsvRow& row) { return in_quotes(row.r.error); }},
    CsvColumn{"error_ratio", [](const CsvRow& row) { return cell(row.r.error_ratio); }},
    CsvColumn{"rows", [](const CsvRow& row) { return cell(row.r.rows); }},
    CsvColumn{"cols", [](const CsvRow& row) { return cell(row.r.cols); }},
    CsvColumn{"nnz", [](const CsvRow& row) { return cell(row.r.nnz); }},
    CsvColumn{"row_variation", [](const CsvRow& row) { return cell(row.r.row_variation); }},
    CsvColumn{"pattern_values", [](const CsvRow& row) { return row.r.pattern_values; }},
    CsvColumn{"formats", [](const CsvRow& row) { return format_cell(row.r.stored.formats); }},
    CsvColumn{"executed", [](const CsvRow& row) { return executed_cell(row.r.executed); }},
    CsvColumn{"matrix_bytes", [](const CsvRow& row) { return cell(row.r.matrix_bytes); }},
    CsvColumn{"device_bytes", [](const CsvRow& row) { return cell(row.r.device_bytes); }},
    CsvColumn{"product_bytes", [](const CsvRow& row) { return cell(row.r.product_bytes); }},
    CsvColumn{"samples", [](const CsvRow& row) { return cell(row.r.warm.seconds.size()); }},
    CsvColumn{"converged", [](const CsvRow& row) { return cell(row.r.warm.converged); }},
    CsvColumn{"median_s", [](const CsvRow& row) { return cell(row.m.seconds); }},
    CsvColumn{"spread", [](const CsvRow& row) { return cell(row.m.spread); }},
    CsvColumn{"noise", [](const CsvRow& row) { return cell(row.m.noise); }},
    CsvColumn{"cold_median_s", [](const CsvRow& row) { return mode_cell(row.r, bench::Mode::cold); }},
    CsvColumn{"graph_median_s", [](const CsvRow& row) { return mode_cell(row.r, bench::Mode::graph); }},
    CsvColumn{"chain_median_s", [](const CsvRow& row) { return mode_cell(row.r, bench::Mode::chain); }},
    CsvColumn{"axpy_median_s", [](const CsvRow& row) { return mode_cell(row.r, bench::Mode::axpy); }},
    CsvColumn{"first_s", [](const CsvRow& row) { return cell(row.r.first_seconds); }},
    CsvColumn{"gflops", [](const CsvRow& row) { return cell(row.m.flops * 1e-9); }},
    CsvColumn{"gbytes_per_s", [](const CsvRow& row) { return cell(row.m.bytes_per_second * 1e-9); }},
    CsvColumn{"share_of_read_bandwidth", [](const CsvRow& row) { return cell(row.m.share_of_bandwidth); }},
    CsvColumn{"convert_median_s", [](const CsvRow& row) { return cell(row.r.convert_seconds); }},
    CsvColumn{"preprocess_median_s", [](const CsvRow& row) { return cell(row.m.preprocess_seconds); }},
    CsvColumn{"preprocess_products", [](const CsvRow& row) { return cell(row.r.preprocess_products); }},
};
constexpr std::size_t kFirstMeasured = 20;  // "samples"

struct SpeedupColumns {
    bench::Mode mode;
    std::string baseline;
};

// Warm ones always; of other modes where there are any.
std::vector<SpeedupColumns> speedup_columns(std::span<const Result> results,
                                            const std::vector<std::string>& baselines) {
    std::vector<SpeedupColumns> columns;
    for (const bench::Mode mode : bench::kModes) {
        for (const auto& baseline : baselines) {
            const auto has = [&](const Result& r) { return find_speedup(r, baseline, mode) != nullptr; };
            if (mode == bench::Mode::warm || std::ranges::any_of(results, has)) columns.push_back({mode, baseline});
        }
    }
    return columns;
}

// What was not measured is an empty cell.
std::string csv_row(const Result& result, const std::vector<SpeedupColumns>& speedups, bool with_vectors) {
    const CsvRow row{result, metrics(result)};
    std::vector<std::string> cells;
    for (const CsvColumn& column : kColumns) {
        const bool measured = result.status == bench::Status::ok || cells.size() < kFirstMeasured;
        cells.push_back(measured ? column.cell(row) : "");
    }
    for (const auto& [mode, baseline] : speedups) {
        const bench::Speedup* speedup = find_speedup(result, baseline, mode);
        cells.push_back(speedup ? cell(speedup->median) : "");
        cells.push_back(speedup ? in_quotes(speedup->against) : "");
    }
    if (with_vectors) cells.push_back(in_quotes(result.id.vectors));
    return fmt::format("{}\n", fmt::join(cells, ","));
}

}  // namespace

std::string results_csv(std::span<const Result> results, const std::vector<std::string>& baselines) {
    std::vector<std::string> names;
    for (const CsvColumn& column : kColumns) names.emplace_back(column.name);
    const auto speedups = speedup_columns(results, baselines);
    for (const auto& [mode, baseline] : speedups) {
        const auto prefix = mode == bench::Mode::warm ? "" : fmt::format("{}_", mode_name(mode));
        names.push_back(fmt::format("{}speedup_over_{}", prefix, baseline));
        names.push_back(fmt::format("{}fastest_{}", prefix, baseline));
    }
    const bool with_vectors = std::ranges::any_of(results, [](const Result& r) { return !r.id.vectors.empty(); });
    if (with_vectors) names.emplace_back("vectors");
    std::string csv = fmt::format("{}\n", fmt::join(names, ","));
    for (const Result& r : results) csv += csv_row(r, speedups, with_vectors);
    return csv;
}

}  // namespace tilespmv::tools
