#include "bench/iteration_check.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tilespmv::bench {
namespace {

int difference(const IterationCheck& check) { return std::abs(check.iterations - check.reference); }

std::vector<IterationCheck> those_that_count(std::span<const IterationCheck> checks) {
    std::vector<IterationCheck> all;
    std::ranges::copy_if(checks, std::back_inserter(all), &IterationCheck::counts);
    return all;
}

}  // namespace

double IterationCheck::deviation() const { return difference(*this) / std::max(1.0, static_cast<double>(reference)); }

bool IterationCheck::counts() const { return reference_converged && reference < kComparedIterations; }

bool IterationCheck::agrees() const {
    return converged && difference(*this) <= std::max(1.0, kMostDeviation * reference);
}

std::optional<IterationCheck> check_iterations(const std::string& system, std::span<const SolverTiming> timings) {
    const auto reference = std::ranges::find(timings, kReferenceName, &SolverTiming::name);
    if (reference == timings.end() || !reference->error.empty()) return {};
    std::optional<IterationCheck> worst;
    for (const auto& t : timings) {
        if (!t.is_ours) continue;
        const IterationCheck check{
            system, t.name, t.iterations, reference->iterations, t.converged, reference->converged};
        const bool is_worse = !worst || (worst->converged && !check.converged) ||
                              (worst->converged == check.converged && check.deviation() > worst->deviation());
        if (is_worse) worst = check;
    }
    return worst;
}

std::string describe(const IterationCheck& check) {
    return fmt::format("iterations: {} ({}{}), reference {}{}: {:.1f}% apart{}", check.iterations, check.way,
                       check.converged ? "" : ", not converged", check.reference,
                       check.reference_converged ? "" : ", not converged", 100 * check.deviation(),
                       check.counts() ? "" : ", not compared");
}

bool all_agree(std::span<const IterationCheck> checks) {
    return std::ranges::all_of(checks, [](const auto& check) { return !check.counts() || check.agrees(); });
}

std::string summary_of(std::span<const IterationCheck> checks) {
    const auto counted = those_that_count(checks);
    if (counted.empty()) {
        return fmt::format("iterations: on no system the reference converged in fewer than {}\n", kComparedIterations);
    }
    const auto& worst = *std::ranges::max_element(counted, {}, &IterationCheck::deviation);
    std::string text = fmt::format(
        "iterations within {:.0f}% of the reference, or one, on {} of {} systems where that takes fewer than {}; worst "
        "{:.1f}%, {}\n",
        100 * kMostDeviation, std::ranges::count_if(counted, &IterationCheck::agrees), counted.size(),
        kComparedIterations, 100 * worst.deviation(), worst.system);
    for (const auto& check : counted) {
        if (!check.agrees()) text += fmt::format("  NOT WITHIN IT: {}: {}\n", check.system, describe(check));
    }
    return text;
}

}  // namespace tilespmv::bench
