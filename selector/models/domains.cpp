#include "selector/models/domains.hpp"

#include <algorithm>
#include <cmath>

namespace tilespmv {
namespace {

constexpr double kMostSize = 3.3e7;
constexpr int kStepsOfDoubling = 2;

/// Sizes that are measured are the same for all kernels, so that vectors of each are made once. They are odd: what does
/// not fill a pack takes some shapes longer, and hardly any less.
double grid_size(int step) {
    constexpr double kLeast = 1000;
    return 2 * std::floor(kLeast * std::exp2(step / double{kStepsOfDoubling}) / 2) + 1;
}
/// The step of the nearest size.
int step_of(double size) {
    return size <= grid_size(0) ? 0 : static_cast<int>(std::lround(kStepsOfDoubling * std::log2(size / grid_size(0))));
}

struct End {
    std::string name;
    double at = 0;
};

std::vector<End> ends_of(const Probe& probe, double bytes_per_element) {
    const double at_cache_rate = probe.cache_rate / bytes_per_element;
    std::vector<End> ends{{"launch", probe.graph_launch_seconds * at_cache_rate},
                          {"wave", static_cast<double>(probe.multiprocessors) * probe.threads},
                          {"cache", probe.cache_bytes / bytes_per_element},
                          {"mixed", 2 * probe.cache_bytes / bytes_per_element}};
    std::ranges::stable_sort(ends, {}, &End::at);
    return ends;
}

double begin_of(int step) { return step == 0 ? 0 : grid_size(step); }

/// A size at a time.
void add_pieces(std::vector<Domain>& domains, const std::string& name, int from, int to) {
    for (int step = from; step < to; ++step) domains.push_back({name, begin_of(step), grid_size(step + 1)});
}

}  // namespace

std::vector<Domain> domains_of(const Probe& probe, double bytes_per_element) {
    std::vector<Domain> domains;
    int from = 0;
    for (const End& end : ends_of(probe, bytes_per_element)) {
        const int to = step_of(end.at);
        if (to < from + kStepsOfDoubling) continue;
        add_pieces(domains, end.name, from, to);
        from = to;
    }
    domains.push_back({"memory", begin_of(from), kEndless});
    return domains;
}

std::vector<Domain> cut_at(std::span<const Domain> domains, std::span<const std::size_t> sizes) {
    std::vector<Domain> pieces;
    for (Domain rest : domains) {
        for (const std::size_t size : sizes) {
            const auto at = static_cast<double>(size);
            if (at <= rest.from || at >= rest.to || rest.to == kEndless) continue;
            pieces.push_back({rest.name, rest.from, at});
            rest.from = at;
        }
        pieces.push_back(rest);
    }
    return pieces;
}

std::vector<std::size_t> sizes_to_measure(const std::vector<Domain>& domains, const Probe& probe,
                                          double bytes_per_element) {
    constexpr double kOfMemory = 0.25;
    const double wanted = std::max(kMostSize, 4 * domains.back().from);
    const double most = std::min(wanted, kOfMemory * probe.memory_bytes / bytes_per_element);
    std::vector<std::size_t> sizes;
    for (int step = 0; step == 0 || grid_size(step) <= most; ++step) {
        sizes.push_back(static_cast<std::size_t>(grid_size(step)));
    }
    return sizes;
}

}  // namespace tilespmv
