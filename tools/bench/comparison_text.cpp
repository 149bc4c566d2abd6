#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/bench/report.hpp"
#include "tools/options/source.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

using bench::Verdict;

TextTable::Row comparison_row(const bench::Comparison& c, bool has_witness) {
    const auto milliseconds = [](double seconds) { return seconds > 0 ? fmt::format("{:.4g}", seconds * 1e3) : "-"; };
    TextTable::Row row{source_name(c.id.matrix),
                       c.id.operator_name,
                       dash_if_empty(c.id.selector),
                       c.id.values,
                       c.id.accumulator,
                       std::to_string(c.id.threads),
                       milliseconds(c.first_seconds),
                       milliseconds(c.second_seconds)};
    const bool is_compared = c.verdict != Verdict::not_compared;
    const auto speedup = [](const bench::TimeRatio& ratio) { return fmt::format("{:.3f}x", 1 / ratio.median); };
    row.push_back(is_compared ? speedup(c.ratio) : "-");
    row.push_back(is_compared ? fmt::format("{:.3f} to {:.3f}", 1 / c.ratio.high, 1 / c.ratio.low) : "-");
    if (has_witness) row.push_back(c.witness ? speedup(*c.witness) : "-");
    row.emplace_back(is_compared ? verdict_name(c.verdict) : c.reason);
    return row;
}

/// What the 95% of the intervals are of, and what a verdict stands on.
std::string notes(std::span<const bench::Comparison> comparisons, const std::vector<std::string>& witnesses) {
    const auto any = [&](auto&& is) {
        return std::ranges::any_of(comparisons,
                                   [&](const auto& c) { return c.verdict != Verdict::not_compared && is(c); });
    };
    std::string text;
    if (any([](const auto& c) { return c.is_of_runs; })) {
        text +=
            "interval: 95% confidence, by how much runs of a side differ; times of several runs are geometric means of "
            "their medians\n";
    }
    if (any([](const auto& c) { return !c.is_of_runs && c.witness; })) {
        text += fmt::format(
            "interval: 95% confidence, by the noise within two runs alone; witness: the speed-up of {}, which is taken "
            "not to have changed: a verdict is unclear unless the time over that of the witness says the same\n",
            fmt::join(witnesses, ", "));
    }
    if (any([](const auto& c) { return !c.is_of_runs && !c.witness; })) {
        text +=
            "interval: 95% confidence, by the noise within two runs alone; how much one run differs from the next is "
            "not known: give further runs (--first, --second), or an operator that has not changed (--witness)\n";
    }
    return text;
}

}  // namespace

std::string comparison_text(std::span<const bench::Comparison> comparisons, const std::vector<std::string>& witnesses) {
    const bool has_witness = std::ranges::any_of(comparisons, [](const auto& c) { return c.witness.has_value(); });
    TextTable::Row titles{"matrix",  "operator", "selector",  "values",   "sums",
                          "threads", "first ms", "second ms", "speed-up", "interval"};
    if (has_witness) titles.emplace_back("witness");
    titles.emplace_back("verdict");
    TextTable table;
    table.add(titles);
    std::map<Verdict, int> counts;
    for (const auto& c : comparisons) {
        ++counts[c.verdict];
        table.add(comparison_row(c, has_witness));
    }
    return fmt::format("{}{}{} faster, {} slower, {} same, {} unclear, {} not compared\n", table.str(),
                       notes(comparisons, witnesses), counts[Verdict::faster], counts[Verdict::slower],
                       counts[Verdict::same], counts[Verdict::unclear], counts[Verdict::not_compared]);
}

}  // namespace tilespmv::tools
