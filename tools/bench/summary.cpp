#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "bench/harness/contest.hpp"
#include "bench/harness/statistics.hpp"
#include "tools/bench/report.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;

// Columns of the summary.
constexpr std::array kSizeNames{"< 1M nnz", "1M to 10M", "> 10M nnz", "all"};
std::size_t size_group(offset_t nnz) { return nnz < 1'000'000 ? 0 : nnz <= 10'000'000 ? 1 : 2; }

std::string mean_cell(const std::vector<double>& speedups) {
    return speedups.empty() ? "-" : fmt::format("{:.2f}x ({})", bench::geometric_mean(speedups), speedups.size());
}

// How many are no more than 5% slower than the baseline.
std::string close_cell(const std::vector<double>& speedups) {
    const auto close = std::ranges::count_if(speedups, [](double s) { return s >= 1 / 1.05; });
    return fmt::format("{} of {}", close, speedups.size());
}

// The operator that a baseline always was, if it was always the same: to compare it with itself says nothing.
std::string only_member(std::span<const Result> results, const std::string& baseline) {
    std::set<std::string> members;
    for (const Result& r : results) {
        if (bench::stands_for(baseline, r.id.operator_name)) members.insert(r.id.operator_name);
    }
    return members.size() == 1 ? *members.begin() : "";
}

}  // namespace

std::string summary_text(std::span<const Result> results, const std::string& baseline) {
    std::map<TextTable::Row, std::array<std::vector<double>, kSizeNames.size()>> groups;
    for (const Result& r : results) {
        const bench::Speedup* speedup = find_speedup(r, baseline);
        if (!speedup) continue;
        auto& group = groups[{r.id.operator_name, dash_if_empty(r.id.selector), r.id.values}];
        group[size_group(r.nnz)].push_back(speedup->median);
        group.back().push_back(speedup->median);
    }
    std::erase_if(groups, [&](const auto& group) {
        return group.second.back().size() < 2 || group.first.front() == only_member(results, baseline);
    });
    if (groups.empty()) return "";
    TextTable::Row names{"operator", "selector", "values"};
    names.insert(names.end(), kSizeNames.begin(), kSizeNames.end());
    names.emplace_back("within 5%");
    TextTable table;
    table.add(std::move(names));
    for (const auto& [name, group] : groups) {
        TextTable::Row row = name;
        for (const auto& speedups : group) row.push_back(mean_cell(speedups));
        row.push_back(close_cell(group.back()));
        table.add(std::move(row));
    }
    return fmt::format("speed-up over {}, geometric mean (matrices)\n{}", baseline, table.str());
}

}  // namespace tilespmv::tools
