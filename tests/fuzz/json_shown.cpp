#include "tests/fuzz/json_shown.hpp"

#include <nlohmann/json.hpp>

#include "selector/auto/cost_table.hpp"
#include "tile/error.hpp"
#include "tools/bench/report.hpp"
#include "tools/explain/explanation.hpp"
#include "tools/paper/plots.hpp"
#include "tools/paper/report.hpp"
#include "tools/picture/svg.hpp"
#include "tools/plot/plots.hpp"
#include "tools/report/report.hpp"
#include "tools/tune/check.hpp"
#include "tools/tune/tune_text.hpp"

namespace tilespmv::test {
namespace {

/// Whether an attribute of a picture holds what is no number. Not by std::regex, which takes a frame of the stack for
/// each character of a long name.
bool has_odd_coordinates(const std::string& svg) {
    for (const char* odd : {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"}) {
        if (svg.find(odd) != std::string::npos) return true;
    }
    return false;
}

void require_drawable(const std::vector<tools::Plot>& plots) {
    for (const auto& plot : plots) {
        if (plot.picture) require(!has_odd_coordinates(tools::svg(*plot.picture)), plot.name);
    }
}

}  // namespace

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
    tools::report_data(profile);
    try {
        tools::check_text(tools::check_against(profile, profile.vectors));
    } catch (const Error&) {  // nothing to compare
    }
}

void show(const bench::ResultSet& set) {
    for (const auto mode : bench::kModes) require_drawable(tools::make_plots(set, "", mode));
    const std::vector<std::string> baselines{"csr-omp"};
    tools::results_text(set.results, baselines);
    tools::mode_text(set.results, baselines);
    tools::results_csv(set.results, baselines);
    tools::summary_text(set.results, "csr-omp");
    try {
        const tools::PaperResults results(set, {});
        tools::paper_text(results);
        tools::paper_csv(results);
        require_drawable(tools::paper_plots(results));
    } catch (const Error&) {  // nothing that it shows
    }
}

}  // namespace tilespmv::test
