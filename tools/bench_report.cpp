#include "tools/bench_report.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/harness/statistics.hpp"
#include "tools/number_text.hpp"
#include "tools/source.hpp"
#include "tools/text_table.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using bench::Status;

constexpr const char* kNotConverged = "~";
constexpr const char* kInCache = "*";
constexpr double kSureSpeedup = 0.05;  // half the interval of a speed-up that is not marked

std::string_view status_word(Status status) {
    return status == Status::ok ? "ok" : status == Status::wrong ? "WRONG" : "failed";
}

std::string dash_if_empty(const std::string& text) { return text.empty() ? "-" : text; }

std::string label(const bench::CaseId& id) {
    return id.selector.empty() ? id.operator_name : id.operator_name + " " + id.selector;
}

std::string milliseconds(double seconds) { return fmt::format("{:.4g}", seconds * 1e3); }

TextTable::Row header(const std::vector<std::string>& baselines) {
    TextTable::Row row{"operator", "selector", "median ms", "spread", "cold ms", "GFLOP/s", "GB/s", "of bandwidth"};
    for (const auto& baseline : baselines) row.push_back("vs " + baseline);
    row.insert(row.end(), {"preprocess ms", "in products", "bytes/nnz", "check"});
    return row;
}

bool sure(const bench::Speedup& s) { return s.high - s.low <= 2 * kSureSpeedup * s.median; }

bool has_noise(const Result& r) { return !r.warm.converged || !std::ranges::all_of(r.speedups, sure); }

std::string speedup_cell(const Result& result, const std::string& baseline) {
    const bench::Speedup* speedup = find_speedup(result, baseline);
    if (!speedup) return "-";
    return fmt::format("{:.2f}x{}", speedup->median, sure(*speedup) ? "" : kNotConverged);
}

TextTable::Row measured_row(const Result& r, const std::vector<std::string>& baselines) {
    const bench::Metrics m = metrics(r);
    TextTable::Row row{r.id.operator_name,
                       dash_if_empty(r.id.selector),
                       milliseconds(m.seconds) + (r.warm.converged ? "" : kNotConverged),
                       fmt::format("{:.1f}%", 100 * m.spread),
                       milliseconds(m.cold_seconds),
                       fmt::format("{:.2f}", m.flops * 1e-9),
                       fmt::format("{:.1f}", m.bytes_per_second * 1e-9),
                       fmt::format("{:.0f}%{}", 100 * m.share_of_bandwidth, m.in_cache ? kInCache : "")};
    for (const auto& baseline : baselines) row.push_back(speedup_cell(r, baseline));
    const auto products = r.preprocess_products;
    row.insert(row.end(), {milliseconds(m.preprocess_seconds), products > 0 ? fmt::format("{:.1f}", products) : "-",
                           fmt::format("{:.2f}", m.bytes_per_nonzero), "ok"});
    return row;
}

TextTable::Row result_row(const Result& r, const std::vector<std::string>& baselines) {
    if (r.status == Status::ok) return measured_row(r, baselines);
    TextTable::Row row(header(baselines).size(), "-");
    row.front() = r.id.operator_name;
    row[1] = dash_if_empty(r.id.selector);
    row.back() = status_word(r.status);
    return row;
}

std::string title(std::span<const Result> results) {
    const bench::CaseId& id = results.front().id;
    const auto loaded = std::ranges::find_if(results, [](const Result& r) { return r.value_bytes > 0; });
    std::string shape;
    if (loaded != results.end()) {
        shape =
            fmt::format("{} x {}, {} nonzeros, ", grouped(loaded->rows), grouped(loaded->cols), grouped(loaded->nnz));
    }
    return fmt::format("{}: {}{}, {} thread{}\n", source_name(id.matrix), shape, id.values, id.threads,
                       id.threads == 1 ? "" : "s");
}

// One line if all have the same trouble.
std::string error_lines(std::span<const Result> results) {
    const Result& first = results.front();
    const bool shared = std::ranges::all_of(results, [&](const Result& r) { return r.error == first.error; });
    if (shared && first.status != Status::ok) return fmt::format("{}: {}\n", status_word(first.status), first.error);
    std::string lines;
    for (const Result& r : results) {
        if (r.status != Status::ok) lines += fmt::format("{}: {}: {}\n", status_word(r.status), label(r.id), r.error);
    }
    return lines;
}

// Columns of the summary.
constexpr std::array<std::string_view, 3> kSizeNames{"< 1M nnz", "1M to 10M", "> 10M nnz"};
std::size_t size_group(offset_t nnz) { return nnz < 1'000'000 ? 0 : nnz <= 10'000'000 ? 1 : 2; }

std::string mean_cell(const std::vector<double>& speedups) {
    return speedups.empty() ? "-" : fmt::format("{:.2f}x ({})", bench::geometric_mean(speedups), speedups.size());
}

std::string quoted(const std::string& text) {
    std::string escaped = text;
    for (auto at = escaped.find('"'); at != std::string::npos; at = escaped.find('"', at + 2))
        escaped.insert(at, 1, '"');
    return '"' + escaped + '"';
}

struct CsvColumn {
    std::string_view name;
    std::string (*cell)(const Result&, const bench::Metrics&);
};

template <class T>
std::string cell(const T& value) {
    return fmt::format("{}", value);
}

// clang-format off
constexpr std::array kCsvColumns{
    CsvColumn{"matrix", [](const Result& r, const bench::Metrics&) { return quoted(r.id.matrix); }},
    CsvColumn{"operator", [](const Result& r, const bench::Metrics&) { return quoted(r.id.operator_name); }},
    CsvColumn{"selector", [](const Result& r, const bench::Metrics&) { return quoted(r.id.selector); }},
    CsvColumn{"values", [](const Result& r, const bench::Metrics&) { return r.id.values; }},
    CsvColumn{"device", [](const Result& r, const bench::Metrics&) { return quoted(r.id.device); }},
    CsvColumn{"threads", [](const Result& r, const bench::Metrics&) { return cell(r.id.threads); }},
    CsvColumn{"status", [](const Result& r, const bench::Metrics&) { return cell(status_word(r.status)); }},
    CsvColumn{"error", [](const Result& r, const bench::Metrics&) { return quoted(r.error); }},
    CsvColumn{"error_ratio", [](const Result& r, const bench::Metrics&) { return cell(r.error_ratio); }},
    CsvColumn{"rows", [](const Result& r, const bench::Metrics&) { return cell(r.rows); }},
    CsvColumn{"cols", [](const Result& r, const bench::Metrics&) { return cell(r.cols); }},
    CsvColumn{"nnz", [](const Result& r, const bench::Metrics&) { return cell(r.nnz); }},
    CsvColumn{"matrix_bytes", [](const Result& r, const bench::Metrics&) { return cell(r.matrix_bytes); }},
    CsvColumn{"product_bytes", [](const Result& r, const bench::Metrics&) { return cell(r.product_bytes); }},
    CsvColumn{"samples", [](const Result& r, const bench::Metrics&) { return cell(r.warm.seconds.size()); }},
    CsvColumn{"converged", [](const Result& r, const bench::Metrics&) { return cell(r.warm.converged); }},
    CsvColumn{"median_s", [](const Result&, const bench::Metrics& m) { return cell(m.seconds); }},
    CsvColumn{"spread", [](const Result&, const bench::Metrics& m) { return cell(m.spread); }},
    CsvColumn{"noise", [](const Result&, const bench::Metrics& m) { return cell(m.noise); }},
    CsvColumn{"cold_median_s", [](const Result&, const bench::Metrics& m) { return cell(m.cold_seconds); }},
    CsvColumn{"gflops", [](const Result&, const bench::Metrics& m) { return cell(m.flops * 1e-9); }},
    CsvColumn{"gbytes_per_s", [](const Result&, const bench::Metrics& m) { return cell(m.bytes_per_second * 1e-9); }},
    CsvColumn{"share_of_read_bandwidth", [](const Result&, const bench::Metrics& m) { return cell(m.share_of_bandwidth); }},
    CsvColumn{"preprocess_median_s", [](const Result&, const bench::Metrics& m) { return cell(m.preprocess_seconds); }},
    CsvColumn{"preprocess_products", [](const Result& r, const bench::Metrics&) { return cell(r.preprocess_products); }},
};
// clang-format on

// What was not measured is an empty cell.
std::string csv_row(const Result& r, const std::vector<std::string>& baselines) {
    const bench::Metrics m = metrics(r);
    std::vector<std::string> cells;
    for (const CsvColumn& column : kCsvColumns) cells.push_back(column.cell(r, m));
    for (const auto& baseline : baselines) {
        const bench::Speedup* speedup = find_speedup(r, baseline);
        cells.push_back(speedup ? cell(speedup->median) : "");
    }
    return fmt::format("{}\n", fmt::join(cells, ","));
}

}  // namespace

std::string results_text(std::span<const Result> results, const std::vector<std::string>& baselines) {
    if (results.empty()) return "";
    TextTable table;
    table.add(header(baselines));
    for (const Result& r : results) table.add(result_row(r, baselines));
    return title(results) + table.str() + error_lines(results);
}

std::string summary_text(std::span<const Result> results, const std::string& baseline) {
    std::map<std::pair<std::string, std::string>, std::array<std::vector<double>, 4>> groups;
    for (const Result& r : results) {
        const bench::Speedup* speedup = find_speedup(r, baseline);
        if (!speedup || r.id.operator_name == baseline) continue;
        auto& group = groups[{r.id.operator_name, r.id.selector}];
        group[size_group(r.nnz)].push_back(speedup->median);
        group.back().push_back(speedup->median);
    }
    std::erase_if(groups, [](const auto& group) { return group.second.back().size() < 2; });
    if (groups.empty()) return "";
    TextTable table;
    table.add({"operator", "selector", std::string(kSizeNames[0]), std::string(kSizeNames[1]),
               std::string(kSizeNames[2]), "all"});
    for (const auto& [name, group] : groups) {
        table.add({name.first, dash_if_empty(name.second), mean_cell(group[0]), mean_cell(group[1]),
                   mean_cell(group[2]), mean_cell(group[3])});
    }
    return fmt::format("speed-up over {}, geometric mean (matrices)\n{}", baseline, table.str());
}

std::string legend_text(std::span<const Result> results) {
    const auto ok = [](const Result& r) { return r.status == Status::ok; };
    std::string legend;
    if (std::ranges::any_of(results, [&](const Result& r) { return ok(r) && has_noise(r); })) {
        legend += fmt::format("{} too noisy to be known well: try a larger --max-time, or a quieter machine\n",
                              kNotConverged);
    }
    if (std::ranges::any_of(results, [&](const Result& r) { return ok(r) && metrics(r).in_cache; })) {
        legend += fmt::format("{} fits the last-level cache, so that memory does not bound the speed\n", kInCache);
    }
    return legend;
}

std::string results_csv(std::span<const Result> results, const std::vector<std::string>& baselines) {
    std::vector<std::string> names;
    for (const CsvColumn& column : kCsvColumns) names.emplace_back(column.name);
    for (const auto& baseline : baselines) names.push_back("speedup_over_" + baseline);
    std::string csv = fmt::format("{}\n", fmt::join(names, ","));
    for (const Result& r : results) csv += csv_row(r, baselines);
    return csv;
}

std::string comparison_text(std::span<const bench::Comparison> comparisons) {
    using bench::Verdict;
    TextTable table;
    table.add({"matrix", "operator", "selector", "values", "threads", "first ms", "second ms", "speed-up", "interval",
               "verdict"});
    std::map<Verdict, int> counts;
    for (const auto& c : comparisons) {
        ++counts[c.verdict];
        TextTable::Row row{source_name(c.id.matrix),      c.id.operator_name,
                           dash_if_empty(c.id.selector),  c.id.values,
                           std::to_string(c.id.threads),  milliseconds(c.first_seconds),
                           milliseconds(c.second_seconds)};
        if (c.verdict == Verdict::not_compared) {
            row.insert(row.end(), {"-", "-", std::string(c.reason)});
        } else {
            row.insert(row.end(), {fmt::format("{:.3f}x", 1 / c.warm.median),
                                   fmt::format("{:.3f} to {:.3f}", 1 / c.warm.high, 1 / c.warm.low),
                                   std::string(verdict_name(c.verdict))});
        }
        table.add(std::move(row));
    }
    return fmt::format("{}{} faster, {} slower, {} same, {} unclear, {} not compared\n", table.str(),
                       counts[Verdict::faster], counts[Verdict::slower], counts[Verdict::same],
                       counts[Verdict::unclear], counts[Verdict::not_compared]);
}

}  // namespace tilespmv::tools
