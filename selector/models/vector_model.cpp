#include "selector/models/vector_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

constexpr std::array kThreads{128, 256, 512, 1024};
constexpr std::array kElements{1, 2, 4, 8};
constexpr std::array kWaves{1.0, 4.0};
constexpr std::array kReductionElements{1, 4};
constexpr std::array kWavesForSmall{1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2};
constexpr int kMostWaves = 20;  ///< of a reduction

/// The caps of a reduction, in waves of blocks.
std::vector<double> reduction_waves() {
    std::vector<double> waves(kWavesForSmall.begin(), kWavesForSmall.end());
    for (int whole = 1; whole <= kMostWaves; ++whole) waves.push_back(whole);
    return waves;
}

int blocks_of(double waves, int resident) { return std::max(1, static_cast<int>(std::lround(waves * resident))); }

/// Blocks on a multiprocessor.
int estimated_room(const Probe& probe, int threads) {
    constexpr int kRegistersOfAThread = 40;
    int room = std::max(1, probe.threads / threads);
    if (probe.blocks > 0) room = std::min(room, probe.blocks);
    if (probe.registers > 0) room = std::min(room, std::max(1, probe.registers / (kRegistersOfAThread * threads)));
    return room;
}

using ShapeKey = std::tuple<int, int, int>;
ShapeKey key_of(const LaunchShape& s) { return {s.threads, s.elements, s.max_blocks}; }
/// Times by n and effective shape; the last one of those measured twice.
using Times = std::map<std::size_t, std::map<ShapeKey, double>>;

Times times_of(std::span<const VectorPoint> points) {
    Times times;
    for (const VectorPoint& point : points)
        times[point.n][key_of(effective_shape(point.shape, point.n))] = point.seconds;
    return times;
}

/// The times of a shape at all sizes of a domain, its upper end included; none if one is missing.
std::optional<std::vector<TimeAt>> times_in(const Domain& domain, const LaunchShape& shape, const Times& times) {
    std::vector<TimeAt> found;
    for (const auto& [n, by_shape] : times) {
        const auto size = static_cast<double>(n);
        if (size < domain.from || size > domain.to) continue;
        const auto time = by_shape.find(key_of(effective_shape(shape, n)));
        if (time == by_shape.end()) return {};
        found.push_back({size, time->second});
    }
    return found.empty() ? std::nullopt : std::optional(found);
}

double accuracy_of(const Line& line, const std::vector<TimeAt>& points) {
    double sum = 0;
    for (const auto& [n, seconds] : points) sum += 1 - std::abs(line.at(n) - seconds) / seconds;
    return sum / static_cast<double>(points.size());
}

VectorDomain fit_domain(const Domain& domain, std::span<const LaunchShape> shapes, const Times& times) {
    VectorDomain fitted{domain, {}, {}};
    const auto intercept = domain.from == 0 ? Intercept::non_negative : Intercept::any;
    std::vector<Line> lines;
    for (const LaunchShape& shape : shapes) {
        const auto points = times_in(domain, shape, times);
        if (!points) continue;
        lines.push_back(fit_line(*points, intercept));
        fitted.lines.push_back({shape, lines.back(), accuracy_of(lines.back(), *points)});
    }
    for (const auto& part : lower_envelope(lines, domain.from, domain.to)) {
        fitted.leaves.push_back({part.from, part.to, fitted.lines[part.best].shape});
    }
    return fitted;
}

/// Two shapes run alike at all sizes of a leaf if no cap is reached within it.
void add_leaf(std::vector<ShapeLeaf>& tree, const ShapeLeaf& leaf) {
    if (!tree.empty() && tree.back().shape == leaf.shape)
        tree.back().to = leaf.to;
    else
        tree.push_back(leaf);
}

std::vector<ShapeLeaf> join(std::span<const VectorDomain> domains) {
    std::vector<ShapeLeaf> tree;
    for (const VectorDomain& domain : domains) {
        for (const ShapeLeaf& leaf : domain.leaves) add_leaf(tree, leaf);
        if (domain.leaves.empty() && !tree.empty()) tree.back().to = domain.domain.to;
    }
    if (!tree.empty()) tree.front().from = 0;
    return tree;
}

}  // namespace

int resident_blocks(const VectorWork& work, const Probe& probe, const LaunchShape& shape) {
    const auto known = std::ranges::find_if(work.residency, [&](const Residency& one) {
        return one.threads == shape.threads && one.elements == shape.elements;
    });
    const int room = known == work.residency.end() ? estimated_room(probe, shape.threads) : std::max(1, known->blocks);
    return std::max(1, probe.multiprocessors) * room;
}

std::vector<LaunchShape> uncapped_shapes(bool reduces) {
    const std::span<const int> all_elements =
        reduces ? std::span<const int>(kReductionElements) : std::span<const int>(kElements);
    std::vector<LaunchShape> shapes;
    for (const int threads : kThreads) {
        for (const int elements : all_elements) shapes.push_back({threads, elements, 0});
    }
    return shapes;
}

std::vector<LaunchShape> candidate_shapes(const VectorWork& work, const Probe& probe) {
    std::vector<LaunchShape> shapes;
    const auto waves = work.reduces ? reduction_waves() : std::vector<double>(kWaves.begin(), kWaves.end());
    for (const LaunchShape& uncapped : uncapped_shapes(work.reduces)) {
        if (!work.reduces) shapes.push_back(uncapped);
        // Nobody waits for the sums of others.
        if (work.reduces && uncapped.elements == kReductionElements.back())
            shapes.push_back({uncapped.threads, uncapped.elements, 1});
        const int resident = resident_blocks(work, probe, uncapped);
        for (const double w : waves) shapes.push_back({uncapped.threads, uncapped.elements, blocks_of(w, resident)});
    }
    return shapes;
}

LaunchShape effective_shape(const LaunchShape& shape, std::size_t n) {
    const LaunchShape uncapped{shape.threads, shape.elements, 0};
    return blocks_for(shape, n) == blocks_for(uncapped, n) ? uncapped : shape;
}

std::vector<LaunchShape> shapes_to_measure(const VectorWork& work, const Probe& probe, std::size_t n) {
    std::vector<LaunchShape> different;
    for (const LaunchShape& shape : candidate_shapes(work, probe)) {
        const LaunchShape effective = effective_shape(shape, n);
        if (std::ranges::find(different, effective) == different.end()) different.push_back(effective);
    }
    return different;
}

VectorModel fit_vector_model(const VectorWork& work, const Probe& probe, std::span<const VectorPoint> points) {
    VectorModel model;
    if (points.empty()) return model;
    const Times times = times_of(points);
    const auto shapes = candidate_shapes(work, probe);
    for (const Domain& domain : domains_of(probe, work.bytes_per_element())) {
        model.domains.push_back(fit_domain(domain, shapes, times));
    }
    model.tree = join(model.domains);
    return model;
}

LaunchShape choose_shape(const VectorModel& model, std::size_t n) {
    if (model.tree.empty()) throw Error("a vector kernel was not measured: run tilespmv tune");
    const auto leaf = std::ranges::find_if(model.tree, [n](const ShapeLeaf& one) { return double(n) < one.to; });
    return leaf == model.tree.end() ? model.tree.back().shape : leaf->shape;
}

}  // namespace tilespmv
