#include "tools/options/operator_list.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "bench/harness/contest.hpp"
#include "tile/error.hpp"

namespace tilespmv::tools {
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

// The values of an option in "alg=1|2,block=2|4".
std::vector<std::string> values_of(const OperatorEntry& entry, const std::string& option) {
    std::vector<std::string> options;
    for (const std::string& sweep : split(entry.sweeps, ',')) {
        const auto equals = sweep.find('=');
        if (sweep.substr(0, equals) == option) return split(sweep.substr(equals + 1), '|');
        options.push_back(sweep.substr(0, equals));
    }
    const auto known = options.empty() ? "" : fmt::format("; there are sweeps of {}", fmt::join(options, ", "));
    throw Error(fmt::format("operator {}: no values are known for {}=all{}", entry.name, option, known),
                ExitCode::usage);
}

bool is_library(std::string_view name) { return name.starts_with("cusparse"); }

// An operator as a baseline. A library is tried with every choice that it leaves to its users, so that it is seen at
// its best; ours choose for themselves.
std::string as_baseline(const OperatorEntry& entry) {
    std::string specification(entry.name);
    if (!is_library(entry.name)) return specification;
    for (const std::string& sweep : split(entry.sweeps, ',')) {
        specification += specification.size() == entry.name.size() ? ':' : ',';
        specification += sweep.substr(0, sweep.find('=')) + "=all";
    }
    return specification;
}

// The library may be missing from a build for the GPU, and then nothing stands for a baseline of it.
template <Value V>
std::vector<std::string> baseline_operators(Backend backend, const std::string& baseline) {
    std::vector<std::string> all;
    bool has_library = backend == Backend::cpu;
    for (const auto& entry : operators<V>(backend)) {
        has_library = has_library || is_library(entry.name);
        if (!bench::stands_for(baseline, entry.name)) continue;
        for (auto& one : expand_sweeps(entry, as_baseline(entry))) all.push_back(std::move(one));
    }
    if (!all.empty() || (is_library(baseline) && !has_library)) return all;
    return expand_operators<V>(backend, {baseline});
}

void add_new(std::vector<std::string>& all, std::vector<std::string> more) {
    for (auto& one : more) {
        if (std::ranges::count(all, one) == 0) all.push_back(std::move(one));
    }
}

}  // namespace

CLI::Option* add_operators(CLI::App& command, std::vector<std::string>& operators, const std::string& help) {
    return command.add_option("--operator", operators, help + "; `tilespmv info` lists them; may be repeated")
        ->allow_extra_args(false);
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

template <Value V>
std::vector<std::string> expand_operators(Backend backend, const std::vector<std::string>& specifications) {
    require_values<V>(backend);
    std::vector<std::string> all;
    if (specifications.empty()) {
        for (const auto& entry : operators<V>(backend)) {
            if (!entry.only_if_named) all.emplace_back(entry.name);
        }
    }
    for (const auto& specification : specifications) {
        const OperatorEntry entry = find_operator<V>(backend, specification);
        for (auto& one : expand_sweeps(entry, specification)) all.push_back(std::move(one));
    }
    return all;
}

std::vector<std::string_view> default_baselines(Backend backend) {
    if (backend == Backend::cpu) return {"csr-omp"};
    return {"cusparse", "cusparse-csr"};
}

template <Value V>
std::vector<std::string> contest_operators(Backend backend, const std::vector<std::string>& specifications,
                                           const std::vector<std::string>& baselines) {
    require_values<V>(backend);
    std::vector<std::string> all;
    for (const auto& baseline : baselines) add_new(all, baseline_operators<V>(backend, baseline));
    if (!specifications.empty()) add_new(all, expand_operators<V>(backend, specifications));
    for (const auto& entry : operators<V>(backend)) {
        const auto same = [&](const std::string& one) { return bench::stands_for(entry.name, one); };
        const bool is_wanted = specifications.empty() && entry.name != "reference" && !entry.only_if_named;
        if (is_wanted && std::ranges::none_of(all, same)) {
            all.emplace_back(entry.name);
        }
    }
    return all;
}

#define TILESPMV_INSTANTIATE(V)                                                                      \
    template std::vector<std::string> contest_operators<V>(Backend, const std::vector<std::string>&, \
                                                           const std::vector<std::string>&);         \
    template std::vector<std::string> expand_operators<V>(Backend, const std::vector<std::string>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
