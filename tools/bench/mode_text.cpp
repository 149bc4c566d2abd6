#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/bench/cells.hpp"
#include "tools/bench/report.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

using bench::Mode;
using bench::Result;

// Modes that the table of warm and cold products does not have.
constexpr std::array kOthers{Mode::graph, Mode::chain, Mode::axpy};

TextTable::Row header(const std::vector<Mode>& modes, const std::vector<std::string>& baselines) {
    TextTable::Row row{"operator", "selector"};
    for (const Mode mode : modes) {
        row.push_back(fmt::format("{} ms", mode_name(mode)));
        for (const auto& baseline : baselines) row.push_back(fmt::format("{} vs {}", mode_name(mode), baseline));
    }
    return row;
}

TextTable::Row mode_row(const Result& r, const std::vector<Mode>& modes, const std::vector<std::string>& baselines) {
    TextTable::Row row{r.id.operator_name, dash_if_empty(r.id.selector)};
    for (const Mode mode : modes) {
        row.push_back(time_cell(r, mode));
        for (const auto& baseline : baselines) row.push_back(speedup_cell(r, baseline, mode));
    }
    return row;
}

// The axpy alone and what is left of a pair, where pairs were measured.
void add_axpy(TextTable::Row& row, const Result& r, Mode mode) {
    const double alone = metrics(r).axpy_seconds;
    const bool known = alone > 0 && !timing(r, mode).seconds.empty();
    row.push_back(known ? milliseconds(alone) : "-");
    row.push_back(known ? milliseconds(median_seconds(r, mode) - alone) : "-");
}

// Which modes hold axpys because the matrix is not square.
std::string pairs_note(const Result& r, const std::vector<Mode>& modes) {
    std::vector<std::string_view> names;
    for (const Mode mode : modes) {
        if (mode != Mode::axpy && has_axpy(r, mode)) names.push_back(mode_name(mode));
    }
    if (names.empty()) return "";
    return fmt::format("{}: the matrix is not square, so that an axpy stands before every product, as in axpy\n",
                       fmt::join(names, ", "));
}

}  // namespace

bool is_measured(std::span<const Result> results, Mode mode) {
    return std::ranges::any_of(results, [&](const Result& r) { return !timing(r, mode).seconds.empty(); });
}

std::string mode_text(std::span<const Result> results, const std::vector<std::string>& baselines) {
    std::vector<Mode> modes;
    std::ranges::copy_if(kOthers, std::back_inserter(modes), [&](Mode mode) { return is_measured(results, mode); });
    if (modes.empty()) return "";
    const auto ok = std::ranges::find(results, bench::Status::ok, &Result::status);
    const bool chain_of_pairs = is_measured(results, Mode::chain) && has_axpy(*ok, Mode::chain);
    const Mode pairs = is_measured(results, Mode::axpy) ? Mode::axpy : Mode::chain;
    const bool any_pairs = pairs == Mode::axpy || chain_of_pairs;
    TextTable::Row names = header(modes, baselines);
    if (any_pairs) names.insert(names.end(), {"axpy alone ms", fmt::format("{} - alone ms", mode_name(pairs))});
    TextTable table;
    table.add(std::move(names));
    for (const Result& r : results) {
        if (r.status != bench::Status::ok) continue;
        auto row = mode_row(r, modes, baselines);
        if (any_pairs) add_axpy(row, r, pairs);
        table.add(std::move(row));
    }
    return table.str() + pairs_note(*ok, modes);
}

}  // namespace tilespmv::tools
