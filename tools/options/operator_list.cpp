#include "tools/options/operator_list.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "bench/harness/contest.hpp"
#include "kernels/sweeps.hpp"
#include "tools/options/command_files.hpp"

namespace tilespmv::tools {
namespace {

// An operator as a baseline. A library is tried with every choice that it leaves to its users, so that it is seen at
// its best; ours choose for themselves.
std::string as_baseline(const OperatorEntry& entry) {
    std::string specification(entry.name);
    if (entry.role != Role::library) return specification;
    for (const Sweep& sweep : sweeps_of(entry)) {
        specification += specification.size() == entry.name.size() ? ':' : ',';
        specification += sweep.option + "=all";
    }
    return specification;
}

// Whether a baseline is one of a library for the GPU that this build lacks: then nothing stands for it.
bool is_missing(Backend backend, std::string_view baseline) {
    const auto serves = [&](std::string_view name) { return bench::stands_for(baseline, name); };
    return backend == Backend::cuda && std::ranges::any_of(gpu_operator_names(), serves) &&
           std::ranges::none_of(operators<double>(backend), serves, &OperatorEntry::name);
}

template <Value V>
std::vector<std::string> baseline_operators(Backend backend, const std::string& baseline) {
    std::vector<std::string> all;
    for (const auto& entry : operators<V>(backend)) {
        if (!bench::stands_for(baseline, entry.name)) continue;
        for (auto& one : expand_sweeps(entry, as_baseline(entry))) all.push_back(std::move(one));
    }
    if (!all.empty() || is_missing(backend, baseline)) return all;
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
        const auto same = [&](const std::string& one) { return one.substr(0, one.find(':')) == entry.name; };
        const bool is_wanted = specifications.empty() && entry.role != Role::oracle && !entry.only_if_named;
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
