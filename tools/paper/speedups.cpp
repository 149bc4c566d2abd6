#include "tools/paper/speedups.hpp"

#include <algorithm>

#include "bench/harness/statistics.hpp"

namespace tilespmv::tools {

std::optional<double> speedup(const PaperResults& results, const PaperMatrix& matrix, std::size_t of,
                              std::size_t over) {
    const bench::Result* fast = matrix.results[of];
    const bench::Result* slow = matrix.results[over];
    if (!fast || !slow) return {};
    const auto* recorded = find_speedup(*fast, results.contestants()[over].name);
    if (recorded && recorded->against == slow->id.operator_name) return recorded->median;
    return metrics(*slow).seconds / metrics(*fast).seconds;
}

std::optional<PairSpeedup> pair_speedup(const PaperResults& results, std::size_t of, std::size_t over) {
    std::vector<double> speedups;
    for (const auto& matrix : results.matrices()) {
        if (const auto s = speedup(results, matrix, of, over)) speedups.push_back(*s);
    }
    if (speedups.empty()) return {};
    const auto [least, most] = std::ranges::minmax(speedups);
    return PairSpeedup{.of = of,
                       .over = over,
                       .matrices = static_cast<int>(speedups.size()),
                       .mean = bench::geometric_mean(speedups),
                       .least = least,
                       .most = most,
                       .wins = static_cast<int>(std::ranges::count_if(speedups, [](double s) { return s > 1; }))};
}

std::vector<PairSpeedup> pair_speedups(const PaperResults& results) {
    std::vector<PairSpeedup> all;
    const auto add = [&](std::size_t of, std::size_t over) {
        if (const auto pair = pair_speedup(results, of, over)) all.push_back(*pair);
    };
    const auto configurations = results.of_kind(ContestantKind::configuration);
    for (const auto competitor : results.of_kind(ContestantKind::competitor)) {
        for (const auto configuration : configurations) add(configuration, competitor);
    }
    for (const auto of : configurations) {
        for (const auto over : configurations) {
            const Contestant& a = results.contestants()[of];
            const Contestant& b = results.contestants()[over];
            if (over < of && (a.operator_name == b.operator_name || a.name == b.name)) add(of, over);
        }
    }
    for (const auto of : configurations) {
        const Contestant& adaptive = results.contestants()[of];
        if (adaptive.name != kPaperAdaptive) continue;
        for (const auto format : results.of_kind(ContestantKind::format)) {
            if (results.contestants()[format].operator_name == adaptive.operator_name) add(of, format);
        }
    }
    return all;
}

}  // namespace tilespmv::tools
