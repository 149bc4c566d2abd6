#include "tools/paper/plan.hpp"

#include <algorithm>

#include "bench/harness/contest.hpp"
#include "tools/options/value_type.hpp"
#include "tools/paper/results.hpp"

namespace tilespmv::tools {
namespace {

template <Value V>
bool has_competitor(Backend backend, const std::string& name) {
    return std::ranges::any_of(operators<V>(backend),
                               [&](const auto& entry) { return bench::stands_for(name, entry.name); });
}

}  // namespace

BenchOptions paper_plan(BenchOptions asked, Backend backend) {
    if (asked.sources.empty() && asked.suite.empty()) asked.suite = kPaperSuite;
    if (asked.values.empty()) asked.values = {std::string(value_name<double>())};
    asked.operators = tile_operators(backend);
    with_value_type(asked.values.front(), [&]<Value V>() {
        require_values<V>(backend);
        for (const auto& contestant : contestants(backend)) {
            if (contestant.operator_name == asked.operators.front()) {
                asked.selectors.push_back(selector_of(contestant));
            } else if (contestant.kind == ContestantKind::competitor && has_competitor<V>(backend, contestant.name)) {
                asked.baselines.push_back(contestant.name);
            }
        }
    });
    return asked;
}

}  // namespace tilespmv::tools
