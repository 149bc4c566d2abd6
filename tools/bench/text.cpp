#include "tools/bench/report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tools/bench/cells.hpp"
#include "tools/options/source.hpp"
#include "tools/text/executed_text.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

using bench::Mode;
using bench::Result;
using bench::Status;

constexpr const char* kInCache = "*";
constexpr std::size_t kMostParts = 3;  // of those executed, in a row

std::string label(const bench::CaseId& id) {
    return id.selector.empty() ? id.operator_name : id.operator_name + " " + id.selector;
}

TextTable::Row header(const std::vector<std::string>& baselines) {
    TextTable::Row row{"operator", "selector", "sums", "median ms",   "spread",
                       "cold ms",  "GFLOP/s",  "GB/s", "of bandwidth"};
    for (const auto& baseline : baselines) row.push_back("vs " + baseline);
    row.insert(row.end(), {"preprocess ms", "in products", "bytes/nnz", "executes", "device", "check"});
    return row;
}

// Speed-ups of cold products are not in the tables.
bool has_noise(const Result& r) {
    const auto noisy = [&](Mode mode) { return !timing(r, mode).seconds.empty() && !timing(r, mode).converged; };
    return noisy(Mode::warm) || noisy(Mode::graph) || noisy(Mode::chain) || noisy(Mode::axpy) ||
           std::ranges::any_of(r.speedups, [](const auto& s) { return s.mode != Mode::cold && !is_sure(s); });
}

TextTable::Row measured_row(const Result& r, const std::vector<std::string>& baselines) {
    const bench::Metrics m = metrics(r);
    TextTable::Row row{operator_text(r.id.operator_name, r.runs),
                       dash_if_empty(r.id.selector),
                       r.id.accumulator,
                       time_cell(r, Mode::warm),
                       fmt::format("{:.1f}%", 100 * m.spread),
                       time_cell(r, Mode::cold),
                       fmt::format("{:.2f}", m.flops * 1e-9),
                       fmt::format("{:.1f}", m.bytes_per_second * 1e-9),
                       fmt::format("{:.0f}%{}", 100 * m.share_of_bandwidth, m.in_cache ? kInCache : "")};
    for (const auto& baseline : baselines) row.push_back(speedup_cell(r, baseline, Mode::warm));
    const auto products = r.preprocess_products;
    row.insert(row.end(),
               {milliseconds(m.preprocess_seconds), products > 0 ? fmt::format("{:.1f}", products) : "-",
                fmt::format("{:.2f}", m.bytes_per_nonzero), dash_if_empty(executed_text(r.executed, kMostParts)),
                byte_size(static_cast<std::int64_t>(r.device_bytes)), "ok"});
    return row;
}

TextTable::Row result_row(const Result& r, const std::vector<std::string>& baselines) {
    if (r.status == Status::ok) return measured_row(r, baselines);
    TextTable::Row row(header(baselines).size(), "-");
    row.front() = r.id.operator_name;
    row[1] = dash_if_empty(r.id.selector);
    row[2] = r.id.accumulator;
    row.back() = status_name(r.status);
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
    const auto& values = loaded == results.end() ? "" : loaded->pattern_values;
    return fmt::format("{}: {}{}, {}, {} thread{}{}{}\n", source_name(id.matrix), shape, id.values, id.device,
                       id.threads, id.threads == 1 ? "" : "s", id.vectors.empty() ? "" : ", " + id.vectors,
                       values.empty() ? "" : fmt::format(", a pattern with values: {}", values));
}

// One line if all have the same trouble.
std::string error_lines(std::span<const Result> results) {
    const Result& first = results.front();
    const bool shared = std::ranges::all_of(results, [&](const Result& r) { return r.error == first.error; });
    if (shared && first.status != Status::ok) return fmt::format("{}: {}\n", status_name(first.status), first.error);
    std::string lines;
    for (const Result& r : results) {
        if (r.status != Status::ok) lines += fmt::format("{}: {}: {}\n", status_name(r.status), label(r.id), r.error);
    }
    return lines;
}

// Which case stands for a baseline, where its name does not say so.
std::string baseline_lines(std::span<const Result> results, const std::vector<std::string>& baselines) {
    std::string lines;
    for (const Mode mode : {Mode::warm, Mode::graph, Mode::chain, Mode::axpy}) {
        for (const auto& baseline : baselines) {
            const auto found =
                std::ranges::find_if(results, [&](const Result& r) { return find_speedup(r, baseline, mode); });
            if (found == results.end()) continue;
            const std::string& against = find_speedup(*found, baseline, mode)->against;
            const auto where = mode == Mode::warm ? "" : fmt::format(" in {}", mode_name(mode));
            if (against != baseline) lines += fmt::format("fastest {}{}: {}\n", baseline, where, against);
        }
    }
    return lines;
}

}  // namespace

std::string_view status_name(Status status) {
    switch (status) {
        case Status::ok:
            return "ok";
        case Status::wrong:
            return "WRONG";
        case Status::skipped:
            return "skipped";
        case Status::failed:
            break;
    }
    return "failed";
}

std::string results_text(std::span<const Result> results, const std::vector<std::string>& baselines) {
    if (results.empty()) return "";
    TextTable table;
    table.add(header(baselines));
    for (const Result& r : results) table.add(result_row(r, baselines));
    return title(results) + table.str() + mode_text(results, baselines) + baseline_lines(results, baselines) +
           error_lines(results);
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
    if (is_measured(results, Mode::axpy)) {
        legend += "axpy: the time of a kernel that writes x and of a product\n";
    }
    return legend;
}

void require_right(std::span<const Result> results) {
    const auto wrong = std::ranges::count(results, Status::wrong, &Result::status);
    const auto failed = std::ranges::count(results, Status::failed, &Result::status);
    if (wrong > 0) {
        throw Error(fmt::format("{} of {} cases gave a wrong result", wrong, results.size()), ExitCode::verification);
    }
    if (failed > 0) throw Error(fmt::format("{} of {} cases failed", failed, results.size()));
}

}  // namespace tilespmv::tools
