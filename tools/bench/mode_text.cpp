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
    TextTable table;
    table.add(header(modes, baselines));
    for (const Result& r : results) {
        if (r.status == bench::Status::ok) table.add(mode_row(r, modes, baselines));
    }
    return table.str() + pairs_note(*ok, modes);
}

}  // namespace tilespmv::tools
