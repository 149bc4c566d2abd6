#include "selector/models/domains.hpp"

#include <algorithm>
#include <cmath>

namespace tilespmv {
namespace {

constexpr double kLeastSize = 1000;
constexpr double kMostSize = 3e7;

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

void add_sizes(std::vector<std::size_t>& sizes, double from, double to) {
    constexpr int kSteps = 5;
    for (int i = 0; i <= kSteps; ++i) {
        sizes.push_back(static_cast<std::size_t>(std::llround(from * std::pow(to / from, i / double{kSteps}))));
    }
}

}  // namespace

std::vector<Domain> domains_of(const Probe& probe, double bytes_per_element) {
    constexpr double kNarrow = 1.9;
    std::vector<Domain> domains;
    double from = 0;
    for (const End& end : ends_of(probe, bytes_per_element)) {
        if (end.at < kNarrow * std::max(from, kLeastSize)) continue;
        domains.push_back({end.name, from, std::floor(end.at)});
        from = std::floor(end.at);
    }
    domains.push_back({"memory", from, kEndless});
    return domains;
}

std::vector<std::size_t> sizes_to_measure(const std::vector<Domain>& domains, const Probe& probe,
                                          double bytes_per_element) {
    constexpr double kOfMemory = 0.25;
    const double wanted = std::max(kMostSize, 4 * domains.back().from);
    const double most = std::max(std::min(wanted, kOfMemory * probe.memory_bytes / bytes_per_element), kLeastSize);
    std::vector<std::size_t> sizes;
    for (const Domain& domain : domains) {
        const double from = std::max(domain.from, kLeastSize);
        const double to = std::min(domain.to, most);
        if (from < to) add_sizes(sizes, from, to);
    }
    std::ranges::sort(sizes);
    const auto [first, last] = std::ranges::unique(sizes);
    sizes.erase(first, last);
    return sizes;
}

}  // namespace tilespmv
