#include "tests/fuzz/json_shown.hpp"

#include <nlohmann/json.hpp>

#include "selector/auto/cost_table.hpp"
#include "tile/error.hpp"
#include "tools/bench/report.hpp"
#include "tools/explain/explanation.hpp"
#include "tools/tune/check.hpp"
#include "tools/tune/tune_text.hpp"

namespace tilespmv::test {
void show_choice(const OperatorQuestion& question, const std::vector<RankedOperator>& by_models,
                 const std::vector<RankedOperator>& by_rules) {
    const bool has_models = !by_models.empty();
    const tools::Explanation e{.matrix = "a",
                               .values = "float64",
                               .sums = "float64",
                               .device = "a device",
                               .question = question,
                               .ranked = has_models ? by_models : by_rules,
                               .stored = "",
                               .costs = question.gpu ? &gpu_costs() : &cpu_costs(),
                               .profile = "p.json",
                               .by_models = has_models,
                               .others = has_models ? by_rules : by_models,
                               .unknown = {}};
    tools::explanation_text(e);
    tools::explanation_json(e).dump();
}

void show(const Profile& profile) {
    tools::tune_text({.profile = profile});
    try {
        tools::check_text(tools::check_against(profile, profile.vectors));
    } catch (const Error&) {  // nothing to compare
    }
}

void show(const bench::ResultSet& set) {
    const std::vector<std::string> baselines{"csr-omp"};
    tools::results_text(set.results, baselines);
    tools::mode_text(set.results, baselines);
    tools::results_csv(set.results, baselines);
    tools::summary_text(set.results, "csr-omp");
}

}  // namespace tilespmv::test
