#include "selector/models/vector_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "selector/models/measured_shapes.hpp"
#include "tile/error.hpp"

namespace tilespmv {
namespace {

constexpr std::array kBlockSizes{128, 256, 512, 1024};
constexpr std::array kElements{1, 2, 4, 8};
constexpr std::array kWaves{1.0, 4.0};
constexpr std::array kReductionElements{1, 4};
constexpr std::array kWavesForSmall{1.0 / 16, 1.0 / 8, 1.0 / 4, 1.0 / 2};
constexpr int kMostWaves = 20;  ///< of a reduction
/// Blocks of an elementwise kernel that a GPU begins as fast as one.
constexpr int kFewBlocks = 4;

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

double accuracy_of(const Line& line, std::span<const TimeAt> points) {
    double sum = 0;
    for (const auto& [n, seconds] : points) sum += 1 - std::abs(line.at(n) - seconds) / seconds;
    return sum / static_cast<double>(points.size());
}

/// Whether there is a step of the shape in the domain, and a size just behind it at its end.
bool has_step(const MeasuredShape& measured, const Domain& domain) {
    constexpr double kNear = 1.1;
    return std::ranges::any_of(measured.steps, [&](std::size_t n) {
        const auto step = static_cast<double>(n);
        return step >= domain.from && step < domain.to && domain.to < kNear * step;
    });
}

/// The two times between which the line of a bounded domain is drawn; none if they are not there or far apart.
std::span<const TimeAt> times_around(const MeasuredShape& measured, const Domain& domain) {
    constexpr double kFar = 1.6;  // times the size: sizes that all shapes are measured at are nearer
    const std::span<const TimeAt> times = measured.times;
    auto right = std::ranges::find_if(times, [&](const TimeAt& one) { return one.n >= domain.to; });
    if (right == times.end()) return {};
    if (has_step(measured, domain) && right + 1 != times.end()) ++right;
    if (right == times.begin()) return {};
    if (right->n > kFar * (right - 1)->n) return {};
    return times.subspan(static_cast<std::size_t>(right - 1 - times.begin()), 2);
}

/// For a line that is drawn backwards from a time: times grow at most as n does, so that a rise further on says nothing
/// of what is before.
Line no_steeper_than_proportional(const Line& line, const TimeAt& from) {
    if (line.intercept >= 0) return line;
    return {from.seconds / from.n, 0};
}

/// All times in a domain without end, if they go as far as those of others.
std::span<const TimeAt> times_from(const MeasuredShape& measured, const Domain& domain, double last) {
    const std::span<const TimeAt> times = measured.times;
    const auto first = std::ranges::find_if(times, [&](const TimeAt& one) { return one.n >= domain.from; });
    if (first == times.end() || times.back().n < last) return {};
    return times.subspan(static_cast<std::size_t>(first - times.begin()));
}

std::optional<ShapeLine> line_in(const Domain& domain, const MeasuredShape& measured, double last) {
    const bool is_endless = domain.to == kEndless;
    const auto times = is_endless ? times_from(measured, domain, last) : times_around(measured, domain);
    if (times.empty()) return {};
    const auto intercept = domain.from == 0 ? Intercept::non_negative : Intercept::any;
    const bool is_fitted = is_endless || domain.from == 0;
    const bool is_behind = !is_fitted && times[0].n >= domain.to;
    Line line = is_fitted ? fit_line(times, intercept) : line_through(times[0], times[1]);
    if (is_behind) line = no_steeper_than_proportional(line, times[0]);
    return ShapeLine{measured.shape, line, accuracy_of(line, times)};
}

/// Of candidates whose caps are not reached in the domain, and which are the same then, the first has a line.
VectorDomain fit_domain(const Domain& domain, std::span<const MeasuredShape> candidates, double last) {
    VectorDomain fitted{domain, {}, {}};
    std::vector<Line> lines;
    std::vector<LaunchShape> known;
    for (const MeasuredShape& one : candidates) {
        const double to = std::min(domain.to, last);
        const LaunchShape effective = effective_shape(one.shape, static_cast<std::size_t>(to));
        if (std::ranges::find(known, effective) != known.end()) continue;
        known.push_back(effective);
        const auto line = line_in(domain, one, last);
        if (!line) continue;
        lines.push_back(line->line);
        fitted.lines.push_back(*line);
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
    for (const int threads : kBlockSizes) {
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

std::vector<std::size_t> steps_of(const VectorWork& work, const Probe& probe, const LaunchShape& shape) {
    const auto part = static_cast<std::size_t>(shape.threads) * static_cast<std::size_t>(shape.elements);
    const int resident = resident_blocks(work, probe, shape);
    std::set<std::size_t> steps;
    const auto add = [&](int blocks) { steps.insert(static_cast<std::size_t>(blocks) * part); };
    std::vector<int> ends{resident / 2, resident};
    if (!work.reduces) ends.push_back(kFewBlocks);
    if (work.reduces && shape.max_blocks != 1) ends.push_back(1);  // with one, nobody waits for the sums of others
    for (const int blocks : ends) {
        const bool is_reached = shape.max_blocks == 0 || blocks <= shape.max_blocks;
        if (blocks > 0 && is_reached) add(blocks);
    }
    if (shape.max_blocks > 0 && shape.max_blocks <= resident) {
        for (const int turns : {1, 2}) add(turns * shape.max_blocks);
    }
    return {steps.begin(), steps.end()};
}

std::vector<ShapesAt> plan_of_measurements(const VectorWork& work, const Probe& probe) {
    const double bytes = work.bytes_per_element();
    const auto domains = domains_of(probe, bytes);
    const auto sizes = sizes_to_measure(domains, probe, bytes);
    std::map<std::size_t, std::vector<LaunchShape>> plan;
    for (const std::size_t n : sizes) plan[n] = shapes_to_measure(work, probe, n);
    const auto add = [&](std::size_t n, const LaunchShape& shape) {
        auto& shapes = plan[n];
        const LaunchShape effective = effective_shape(shape, n);
        if (std::ranges::find(shapes, effective) == shapes.end()) shapes.push_back(effective);
    };
    const double most = std::min(domains.back().from, static_cast<double>(sizes.back()));  // steps are small behind
    for (const LaunchShape& shape : candidate_shapes(work, probe)) {
        for (const std::size_t step : steps_of(work, probe, shape)) {
            if (step <= sizes.front() || static_cast<double>(behind_step(step)) >= most) continue;
            add(step, shape);
            add(behind_step(step), shape);
        }
    }
    std::vector<ShapesAt> all;
    for (auto& [n, shapes] : plan) all.push_back({n, std::move(shapes)});
    return all;
}

VectorModel fit_vector_model(const VectorWork& work, const Probe& probe, std::span<const VectorPoint> points) {
    VectorModel model;
    if (points.empty()) return model;
    const auto candidates = measured_candidates(work, probe, points);
    std::set<std::size_t> different;
    for (const VectorPoint& point : points) different.insert(point.n);
    const std::vector<std::size_t> sizes(different.begin(), different.end());
    const auto cuts = std::span<const std::size_t>(sizes).subspan(1);  // the first line goes on to n = 0
    for (const Domain& domain : cut_at(domains_of(probe, work.bytes_per_element()), cuts)) {
        model.domains.push_back(fit_domain(domain, candidates, static_cast<double>(sizes.back())));
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
