#include "selector/models/domains.hpp"

#include <algorithm>
#include <cmath>

namespace tilespmv {
namespace {

constexpr double kMostSize = 3.3e7;

/// Sizes that are measured are the same for all kernels, so that vectors of each are made once. They are odd: what does
/// not fill a pack takes some shapes longer, and hardly any less. There are twice as many between 44 blocks of 512
/// threads and where the largest caches end, where shapes slow down by steps that no rule knows (`bench/NOTES.md`,
/// "Launch shapes").
std::vector<double> make_grid() {
    constexpr double kLeast = 1000;
    constexpr int kQuarters = 4;
    std::vector<double> sizes;
    for (int quarter = 0; quarter <= 24 * kQuarters; ++quarter) {
        const bool is_dense = quarter >= 9 * kQuarters / 2 && quarter <= 13 * kQuarters;
        if (quarter % 2 == 1 && !is_dense) continue;
        sizes.push_back(2 * std::floor(kLeast * std::exp2(quarter / double{kQuarters}) / 2) + 1);
    }
    return sizes;
}
const std::vector<double>& grid() {
    static const std::vector<double> sizes = make_grid();
    return sizes;
}

/// The place in the grid of the nearest of the sizes that are a factor of the square root of 2 apart.
std::size_t place_of(double size) {
    constexpr double kDoubling = 2;
    const double half_steps = std::round(kDoubling * std::log2(std::max(1.0, size / grid().front())));
    const double nearest = 0.999 * grid().front() * std::exp2(half_steps / kDoubling);
    const auto place = static_cast<std::size_t>(std::ranges::lower_bound(grid(), nearest) - grid().begin());
    return std::min(place, grid().size() - 1);
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

double begin_of(std::size_t place) { return place == 0 ? 0 : grid()[place]; }

/// A size at a time.
void add_pieces(std::vector<Domain>& domains, const std::string& name, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) domains.push_back({name, begin_of(i), grid()[i + 1]});
}

}  // namespace

std::vector<Domain> domains_of(const Probe& probe, double bytes_per_element) {
    std::vector<Domain> domains;
    std::size_t from = 0;
    for (const End& end : ends_of(probe, bytes_per_element)) {
        const std::size_t to = place_of(end.at);
        if (to <= from || grid()[to] < 1.99 * grid()[from]) continue;
        add_pieces(domains, end.name, from, to);
        from = to;
    }
    const std::size_t last = from == 0 ? 0 : place_of(2 * grid()[from]);
    add_pieces(domains, "memory", from, last);
    domains.push_back({"memory", begin_of(last), kEndless});
    return domains;
}

std::vector<std::size_t> sizes_to_measure(const std::vector<Domain>& domains, const Probe& probe,
                                          double bytes_per_element) {
    constexpr double kOfMemory = 0.25;
    const double wanted = std::max(kMostSize, 4 * domains.back().from);
    const double most = std::min(wanted, kOfMemory * probe.memory_bytes / bytes_per_element);
    std::vector<std::size_t> sizes;
    for (const double size : grid()) {
        if (sizes.empty() || size <= most) sizes.push_back(static_cast<std::size_t>(size));
    }
    return sizes;
}

}  // namespace tilespmv
