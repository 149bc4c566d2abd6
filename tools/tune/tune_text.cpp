#include "tools/tune/tune_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tools/text/number_text.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

std::string machine_text(const Probe& p) {
    std::string text = fmt::format("{}: memory {:.1f} GB/s, cache of {:.0f} MB {:.1f} GB/s", p.name, p.read_rate * 1e-9,
                                   p.cache_bytes * 1e-6, p.cache_rate * 1e-9);
    if (p.is_gpu) {
        text += fmt::format(", launch {:.2f} us in a loop, {:.2f} us in a graph", p.loop_launch_seconds * 1e6,
                            p.graph_launch_seconds * 1e6);
    }
    return text + "\n";
}

std::string operators_text(const std::vector<SpmvModel>& models) {
    if (models.empty()) return "";
    TextTable table;
    table.add({"operator", "bytes", "of sums", "matrices", "accuracy", "held out"});
    for (const SpmvModel& m : models) {
        table.add({m.specification, fmt::format("{}", m.sizes.value), fmt::format("{}", m.sizes.sum),
                   fmt::format("{}", m.matrices), percent(m.accuracy),
                   m.held_out_accuracy == 0 ? "-" : percent(m.held_out_accuracy)});
    }
    return fmt::format("\n{}", table.str());
}

std::string kernels_text(const std::vector<VectorProfile>& vectors) {
    if (vectors.empty()) return "";
    TextTable table;
    table.add({"kernel", "values", "points", "domains", "leaves"});
    for (const VectorProfile& one : vectors) {
        table.add({one.work.kernel, one.values, fmt::format("{}", one.points.size()),
                   fmt::format("{}", one.model.domains.size()), fmt::format("{}", one.model.tree.size())});
    }
    return fmt::format("\n{}", table.str());
}

std::map<std::size_t, double> least_times(const VectorProfile& kernel) {
    std::map<std::size_t, double> least;
    for (const VectorPoint& point : kernel.points) {
        const auto [known, is_new] = least.emplace(point.n, point.seconds);
        if (!is_new) known->second = std::min(known->second, point.seconds);
    }
    return least;
}

/// "a takes 6.20 times as long as b in the mean of 31 sizes (...)", each in its fastest shape.
std::string comparison_text(const VectorProfile& kernel, const VectorProfile& other) {
    const auto of_other = least_times(other);
    std::vector<double> ratios;
    for (const auto& [n, seconds] : least_times(kernel)) {
        const auto found = of_other.find(n);
        if (found != of_other.end()) ratios.push_back(seconds / found->second);
    }
    if (ratios.empty()) return "";
    double logs = 0;
    for (const double ratio : ratios) logs += std::log(ratio);
    const auto [least, most] = std::ranges::minmax(ratios);
    return fmt::format("{} ({}) takes {:.2f} times as long as {} in the mean of {} sizes, {:.2f} to {:.2f}\n",
                       kernel.work.kernel, kernel.values, std::exp(logs / static_cast<double>(ratios.size())),
                       other.work.kernel, ratios.size(), least, most);
}

std::string comparisons_text(const std::vector<VectorProfile>& vectors) {
    std::string text;
    for (const VectorProfile& kernel : vectors) {
        for (const VectorProfile& other : vectors) {
            if (other.values == kernel.values && other.work.kernel == kernel.work.compared_with)
                text += comparison_text(kernel, other);
        }
    }
    return text.empty() ? "" : "\n" + text;
}

}  // namespace

std::string tune_text(const TuneOutcome& outcome) {
    std::string text = machine_text(outcome.profile.probe);
    text += fmt::format("{} measured now", grouped(outcome.measured));
    if (outcome.left > 0) text += fmt::format(", {} left: run it again to go on", grouped(outcome.left));
    text += fmt::format("\n{}{}{}", operators_text(outcome.profile.models), kernels_text(outcome.profile.vectors),
                        comparisons_text(outcome.profile.vectors));
    return text;
}

}  // namespace tilespmv::tools
