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
constexpr std::size_t kSizeColumns = 4;
std::array<std::string, kSizeColumns> size_names(const bench::SizeGroups& groups) {
    const auto millions = [](offset_t nnz) { return static_cast<double>(nnz) * 1e-6; };
    return {fmt::format("< {}M nnz", millions(groups.middle)),
            fmt::format("{}M to {}M", millions(groups.middle), millions(groups.most)),
            fmt::format("> {}M nnz", millions(groups.most)), "all"};
}
std::size_t size_group(offset_t nnz, const bench::SizeGroups& groups) {
    return nnz < groups.middle ? 0 : nnz <= groups.most ? 1 : 2;
}

std::string mean_cell(const std::vector<double>& speedups) {
    if (speedups.empty()) return "-";
    const auto losses = std::ranges::count_if(speedups, [](double s) { return s < 1; });
    return fmt::format("{:.2f}x ({:.2f}x, {} of {})", bench::geometric_mean(speedups), std::ranges::min(speedups),
                       losses, speedups.size());
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

std::string summary_text(std::span<const Result> results, const std::string& baseline, bench::Mode mode,
                         const bench::SizeGroups& sizes) {
    std::map<TextTable::Row, std::array<std::vector<double>, kSizeColumns>> groups;
    for (const Result& r : results) {
        const bench::Speedup* speedup = find_speedup(r, baseline, mode);
        if (!speedup) continue;
        auto& group = groups[{r.id.operator_name, dash_if_empty(r.id.selector), r.id.values}];
        group[size_group(r.nnz, sizes)].push_back(speedup->median);
        group.back().push_back(speedup->median);
    }
    std::erase_if(groups, [&](const auto& group) {
        return group.second.back().size() < 2 || group.first.front() == only_member(results, baseline);
    });
    if (groups.empty()) return "";
    TextTable::Row names{"operator", "selector", "values"};
    for (const auto& name : size_names(sizes)) names.push_back(name);
    names.emplace_back("within 5%");
    TextTable table;
    table.add(std::move(names));
    for (const auto& [name, group] : groups) {
        TextTable::Row row = name;
        for (const auto& speedups : group) row.push_back(mean_cell(speedups));
        row.push_back(close_cell(group.back()));
        table.add(std::move(row));
    }
    return fmt::format("speed-up over {}, {}: geometric mean (least, losses of matrices)\n{}", baseline,
                       mode_name(mode), table.str());
}

}  // namespace tilespmv::tools
