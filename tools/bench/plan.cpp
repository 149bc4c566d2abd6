#include "tools/bench/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/harness/suite.hpp"
#include "kernels/cuda/device.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tools/options/operator_list.hpp"
#include "tools/options/value_type.hpp"

namespace tilespmv::tools {
namespace {

void fill_if_empty(std::vector<std::string>& options, const std::vector<std::string_view>& values) {
    if (options.empty()) options.assign(values.begin(), values.end());
}

/// Operators of a suite that cannot run on a CPU, unless others were asked for: if they are all that it is for, there
/// is nothing to measure, else it is said at once that they are left out.
void leave_out(const bench::Suite& suite, const BenchOptions& options) {
    if (!suite.is_for_gpu || !options.operators.empty()) return;
    if (!suite.operators.empty()) {
        std::string reason = "give --device cuda";
        auto code = ExitCode::usage;
        try {
            static_cast<void>(cuda::require_device());
        } catch (const Error& error) {
            reason = error.what();
            code = error.code();
        }
        throw Error(fmt::format("the suite {} is for {}, which run on a GPU: {}; --operator measures others on its "
                                "matrices",
                                suite.name, fmt::join(suite.operators, ", "), reason),
                    code);
    }
    const bool has_baseline = options.baselines.empty() && !suite.baselines.empty();
    fmt::print(stderr, "tilespmv: suite {}: left out: the operators for a GPU{}; measured are those of the CPU\n",
               suite.name, has_baseline ? fmt::format(", the baseline {}", fmt::join(suite.baselines, ", ")) : "");
}

void add_suite(BenchOptions& options, Backend backend) {
    const bench::Suite& suite = bench::find_suite(options.suite);
    options.sources.insert(options.sources.end(), suite.sources.begin(), suite.sources.end());
    fill_if_empty(options.selectors, suite.selectors);
    if (backend == Backend::cpu) return leave_out(suite, options);
    if (options.operators.empty()) fill_if_empty(options.more_operators, suite.more_operators);
    fill_if_empty(options.operators, suite.operators);
    fill_if_empty(options.baselines, suite.baselines);
}

// Operators read their options when they are made, so wrong ones show on the smallest matrix. Other trouble is that of
// the matrices to come.
template <Value V>
void try_options(const bench::Candidate<V>& candidate) {
    const CsrMatrix<V> a{.rows = 1, .cols = 1, .row_ptrs = {0, 1}, .col_idxs = {0}, .values = {static_cast<V>(1)}};
    const Buffer<V> x = bench::make_x<V>(1);
    try {
        candidate.bind(a, {x.data(), x.size()})();
    } catch (const Error& error) {
        if (error.code() == ExitCode::usage) throw;
    }
}

void check_modes(const BenchOptions& options, Backend backend) {
    const bool is_plain = !options.is_transposed && std::ranges::all_of(options.columns, [](int k) { return k == 1; });
    for (const auto& mode : options.modes) {
        if (!is_plain && mode != "warm" && mode != "cold") {
            throw Error(
                fmt::format("mode {} is one of single vectors by the matrix itself; with --columns or --transpose "
                            "there are warm and cold",
                            mode),
                ExitCode::usage);
        }
        if (bench::find_mode(mode) == bench::Mode::graph && backend == Backend::cpu)
            throw Error("mode graph needs a GPU: give --device cuda, or mode chain, the same products without a graph",
                        ExitCode::usage);
    }
}

}  // namespace

void complete(BenchOptions& options, Backend backend) {
    if (!options.suite.empty()) add_suite(options, backend);
    if (options.is_from_gpu && backend == Backend::cpu) throw Error("--from-gpu is for --device cuda", ExitCode::usage);
    if (options.sources.empty()) throw Error("no matrix; give one, or a suite with --suite", ExitCode::usage);
    fill_if_empty(options.selectors, {kDefaultSelector});
    fill_if_empty(options.modes, {"warm", "cold"});
    fill_if_empty(options.baselines, default_baselines(backend));
}

std::vector<bench::ProductKind> product_kinds(const BenchOptions& options) {
    std::vector<bench::ProductKind> kinds;
    const Layout layout = options.layout == "row" ? Layout::row_major : Layout::column_major;
    for (const int columns : options.columns)
        kinds.push_back({columns, layout, options.is_transposed, options.is_from_gpu});
    return kinds;
}

std::vector<std::string> value_types(const BenchOptions& options, const std::string& source) {
    if (!options.values.empty()) return options.values;
    try {
        return {value_type_for(source, "")};
    } catch (const Error&) {  // loading will say what is wrong with it
        return {std::string(value_name<double>())};
    }
}

template <Value V>
std::vector<bench::Candidate<V>> candidates(const BenchOptions& options, bench::Device& device,
                                            const bench::ProductKind& kind) {
    auto names = contest_operators<V>(device.backend(), options.operators, options.baselines);
    std::ranges::copy(options.more_operators, std::back_inserter(names));
    std::vector<bench::Candidate<V>> all;
    for (auto& name : names) {
        const OperatorEntry entry = find_operator<V>(device.backend(), name);
        if (entry.role == Role::chooser && kind.columns > 1 && name.find("columns=") == std::string::npos)
            name += fmt::format("{}columns={}", name == entry.name ? ":" : ",", kind.columns);
        const auto sums = entry.sums_in_own_type ? std::nullopt : options.accumulator;
        for (const auto& selector : entry.made_from == Form::tiles ? options.selectors : std::vector<std::string>{""}) {
            all.push_back(bench::make_candidate<V>(device, name, selector, sums, kind));
        }
    }
    return all;
}

void check_plan(const BenchOptions& options, bench::Device& device) {
    for (const auto& selector : options.selectors) make_policy(selector);
    check_modes(options, device.backend());
    std::set<std::string> types;
    for (const auto& source : options.sources) {
        for (const auto& values : value_types(options, source)) types.insert(values);
    }
    for (const auto& values : types) {
        with_value_type(values, [&]<Value V>() {
            for (const auto& candidate : candidates<V>(options, device, {})) try_options(candidate);
        });
    }
}

#define TILESPMV_INSTANTIATE(V)                                                               \
    template std::vector<bench::Candidate<V>> candidates(const BenchOptions&, bench::Device&, \
                                                         const bench::ProductKind&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
