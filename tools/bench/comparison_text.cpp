#include <map>

#include <fmt/format.h>

#include "tools/bench/report.hpp"
#include "tools/options/source.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

using bench::Verdict;

TextTable::Row comparison_row(const bench::Comparison& c) {
    const auto milliseconds = [](double seconds) { return seconds > 0 ? fmt::format("{:.4g}", seconds * 1e3) : "-"; };
    TextTable::Row row{source_name(c.id.matrix),
                       c.id.operator_name,
                       dash_if_empty(c.id.selector),
                       c.id.values,
                       c.id.accumulator,
                       std::to_string(c.id.threads),
                       milliseconds(c.first_seconds),
                       milliseconds(c.second_seconds)};
    if (c.verdict == Verdict::not_compared) {
        row.insert(row.end(), {"-", "-", std::string(c.reason)});
    } else {
        row.insert(row.end(), {fmt::format("{:.3f}x", 1 / c.ratio.median),
                               fmt::format("{:.3f} to {:.3f}", 1 / c.ratio.high, 1 / c.ratio.low),
                               std::string(verdict_name(c.verdict))});
    }
    return row;
}

}  // namespace

std::string comparison_text(std::span<const bench::Comparison> comparisons) {
    TextTable table;
    table.add({"matrix", "operator", "selector", "values", "sums", "threads", "first ms", "second ms", "speed-up",
               "interval", "verdict"});
    std::map<Verdict, int> counts;
    for (const auto& c : comparisons) {
        ++counts[c.verdict];
        table.add(comparison_row(c));
    }
    return fmt::format("{}{} faster, {} slower, {} same, {} unclear, {} not compared\n", table.str(),
                       counts[Verdict::faster], counts[Verdict::slower], counts[Verdict::same],
                       counts[Verdict::unclear], counts[Verdict::not_compared]);
}

}  // namespace tilespmv::tools
