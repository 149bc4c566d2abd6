#include "kernels/sweeps.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = text.find(separator);
        parts.emplace_back(text.substr(0, end));
        text = end == std::string_view::npos ? "" : text.substr(end + 1);
    }
    return parts;
}

std::vector<std::string> values_of(const OperatorEntry& entry, std::string_view option) {
    const auto sweeps = sweeps_of(entry);
    const auto found = std::ranges::find(sweeps, option, &Sweep::option);
    if (found != sweeps.end()) return found->values;
    std::vector<std::string_view> options;
    for (const Sweep& sweep : sweeps) options.emplace_back(sweep.option);
    const auto known = options.empty() ? "" : fmt::format("; there are sweeps of {}", fmt::join(options, ", "));
    throw Error(fmt::format("operator {}: no values are known for {}=all{}", entry.name, option, known),
                ExitCode::usage);
}

}  // namespace

std::vector<Sweep> sweeps_of(const OperatorEntry& entry) {
    std::vector<Sweep> sweeps;
    for (const std::string& one : split(entry.sweeps, ',')) {
        const auto equals = one.find('=');
        sweeps.push_back({one.substr(0, equals), split(one.substr(equals + 1), '|')});
    }
    return sweeps;
}

std::vector<std::string> expand_sweeps(const OperatorEntry& entry, const std::string& specification) {
    constexpr std::string_view kAll = "=all";
    for (auto at = specification.find(kAll); at != std::string::npos; at = specification.find(kAll, at + 1)) {
        const auto end = at + kAll.size();
        if (end < specification.size() && specification[end] != ',') continue;
        const auto begin = specification.find_last_of(":,", at) + 1;
        std::vector<std::string> all;
        for (const auto& value : values_of(entry, specification.substr(begin, at - begin))) {
            const std::string one = specification.substr(0, at + 1) + value + specification.substr(end);
            for (auto& more : expand_sweeps(entry, one)) all.push_back(std::move(more));
        }
        return all;
    }
    return {specification};
}

}  // namespace tilespmv
