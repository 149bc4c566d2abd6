#include "selector/models/vector_model.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <span>

#include <gtest/gtest.h>

#include "selector/models/accuracy.hpp"
#include "tests/selector/models/synthetic.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv {
namespace {

using test::h200_like;
using test::stepped_seconds;
using test::vector_seconds;

std::vector<Line> random_lines(std::mt19937& random, std::size_t count) {
    std::uniform_int_distribution<int> whole(0, 20);  // so that some are parallel, and some the same
    std::vector<Line> lines(count);
    for (Line& line : lines) line = {double(whole(random)), 10.0 * whole(random)};
    return lines;
}

TEST(LowerEnvelope, IsTheLowestLineEverywhere) {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        const auto lines = random_lines(random, 1 + static_cast<std::size_t>(round) % 12);
        const double from = round % 7;
        const double to = from + 50;
        const auto parts = lower_envelope(lines, from, to);
        ASSERT_FALSE(parts.empty());
        EXPECT_EQ(parts.front().from, from);
        EXPECT_EQ(parts.back().to, to);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            ASSERT_LT(parts[i].from, parts[i].to);
            if (i > 0) {
                ASSERT_EQ(parts[i].from, parts[i - 1].to);
                ASSERT_NE(parts[i].best, parts[i - 1].best) << "neighbours that agree are one";
            }
        }
        for (double n = from; n < to; n += 0.25) {
            const auto part = std::ranges::find_if(parts, [n](const auto& one) { return n < one.to; });
            double lowest = kEndless;
            for (const Line& line : lines) lowest = std::min(lowest, line.at(n));
            ASSERT_NEAR(lines[part->best].at(n), lowest, 1e-9) << "round " << round << ", n " << n;
        }
    }
}

TEST(LowerEnvelope, GoesOnWithoutEnd) {
    const std::vector<Line> lines{{2, 0}, {1, 10}, {3, 0}};
    EXPECT_EQ(lower_envelope(lines, 0, kEndless), (std::vector<EnvelopePart>{{0, 10, 0}, {10, kEndless, 1}}));
    EXPECT_TRUE(lower_envelope({}, 0, 1).empty());
}

TEST(Domains, EndWhereTheRegimeChanges) {
    const Probe probe = h200_like();
    const auto domains = domains_of(probe, 48);
    ASSERT_GE(domains.size(), 4U);
    EXPECT_EQ(domains.front().from, 0);
    EXPECT_EQ(domains.back().to, kEndless);
    EXPECT_EQ(domains.back().name, "memory");
    const double from_memory = std::ranges::find(domains, "memory", &Domain::name)->from;
    EXPECT_NEAR(from_memory, 2 * probe.cache_bytes / 48, 0.2 * from_memory);
    EXPECT_NEAR(domains.back().from, 2 * from_memory, 2) << "one line only where steps are small";
    for (std::size_t i = 1; i < domains.size(); ++i) {
        EXPECT_EQ(domains[i].from, domains[i - 1].to);
        EXPECT_LT(domains[i - 1].to, 1.5 * std::max(domains[i - 1].from, 1000.0)) << "from a size to the next";
    }
    EXPECT_EQ(domains_of(Probe{}, 8).size(), 1U) << "nothing is known";
}

TEST(Domains, AreMeasuredAtTheirEndsAndBetween) {
    const Probe probe = h200_like();
    const auto domains = domains_of(probe, 48);
    const auto sizes = sizes_to_measure(domains, probe, 48);
    EXPECT_GE(sizes.size(), 15U);
    EXPECT_LE(sizes.size(), 50U);
    EXPECT_EQ(sizes.front(), 1001U);
    EXPECT_TRUE(std::ranges::all_of(sizes, [](std::size_t n) { return n % 2 == 1; }));
    EXPECT_GE(sizes.back(), 30'000'000U);
    const auto of_others = sizes_to_measure(domains_of(probe, 8), probe, 8);
    EXPECT_TRUE(std::ranges::equal(sizes, std::span(of_others).first(sizes.size()))) << "vectors are made once";
    for (std::size_t i = 1; i < domains.size(); ++i) {
        EXPECT_EQ(std::ranges::count(sizes, static_cast<std::size_t>(domains[i].from)), 1) << domains[i].name;
    }
    Probe small = probe;
    small.memory_bytes = 48e6;
    EXPECT_LE(sizes_to_measure(domains, small, 48).back(), 250'000U) << "a quarter of the memory";
}

TEST(Shapes, AreCappedOnlyWhereTheCapIsReached) {
    const LaunchShape capped{128, 2, 10};
    EXPECT_EQ(effective_shape(capped, 2560), (LaunchShape{128, 2, 0}));
    EXPECT_EQ(effective_shape(capped, 2561), capped);
    const VectorWork axpy{"axpy", false, 2, 1};
    const Probe probe = h200_like();
    const auto few = shapes_to_measure(axpy, probe, 1000);
    const auto many = shapes_to_measure(axpy, probe, 30'000'000);
    EXPECT_LT(few.size(), many.size());
    EXPECT_TRUE(std::ranges::all_of(few, [](const auto& shape) { return shape.max_blocks == 0; }));
    EXPECT_LE(many.size(), 48U);
}

TEST(Shapes, AreCappedByTheResidencyOfTheKernel) {
    const Probe probe = h200_like();
    VectorWork axpy{"axpy", false, 2, 1};
    EXPECT_EQ(resident_blocks(axpy, probe, {1024, 2, 0}), 132) << "by 40 registers, which leave room for one";
    EXPECT_EQ(resident_blocks(axpy, probe, {128, 2, 0}), 132 * 12);
    axpy.residency = {{128, 2, 16}, {128, 1, 14}};
    EXPECT_EQ(resident_blocks(axpy, probe, {128, 2, 7}), 132 * 16);
    EXPECT_EQ(resident_blocks(axpy, probe, {128, 1, 0}), 132 * 14);
    EXPECT_EQ(resident_blocks(axpy, probe, {128, 4, 0}), 132 * 12) << "not known";
    const auto shapes = candidate_shapes(axpy, probe);
    EXPECT_EQ(std::ranges::count(shapes, LaunchShape{128, 2, 132 * 16}), 1);
    EXPECT_EQ(std::ranges::count(shapes, LaunchShape{128, 2, 132 * 12}), 0);
    EXPECT_EQ(std::ranges::count(shapes, LaunchShape{128, 1, 4 * 132 * 14}), 1);
}

TEST(Shapes, OfReductionsAreCappedToAnyWholeWaves) {
    const Probe probe = h200_like();
    const VectorWork dot{"dot", true, 2, 0};
    const auto shapes = candidate_shapes(dot, probe);
    const int resident = resident_blocks(dot, probe, {128, 4, 0});
    for (int waves = 1; waves <= 20; ++waves) {
        EXPECT_EQ(std::ranges::count(shapes, LaunchShape{128, 4, waves * resident}), 1) << waves;
    }
    EXPECT_EQ(std::ranges::count(shapes, LaunchShape{128, 4, resident / 16}), 1);
    EXPECT_EQ(std::ranges::count(shapes, LaunchShape{128, 4, 0}), 0) << "all of them leave a sum";
    EXPECT_LE(shapes_to_measure(dot, probe, 100'000).size(), 50U) << "most caps are not reached";
}

using Seconds = double (*)(const VectorWork&, const LaunchShape&, std::size_t);

std::vector<VectorPoint> measured(const VectorWork& work, const Probe& probe, double noise,
                                  Seconds seconds = vector_seconds) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> error(1 - noise, 1 + noise);
    std::vector<VectorPoint> points;
    for (const auto& [n, shapes] : plan_of_measurements(work, probe)) {
        for (const auto& shape : shapes) points.push_back({n, shape, seconds(work, shape, n) * error(random)});
    }
    return points;
}

/// Time of what the tree chooses over that of the best, at sizes that were not measured.
ChoiceQuality quality_of(const VectorWork& work, const Probe& probe, const VectorModel& model,
                         Seconds seconds = vector_seconds) {
    std::vector<double> losses;
    for (double n = 1111; n < 2.9e7; n *= 1.0371) {
        const auto size = static_cast<std::size_t>(n);
        double best = kEndless;
        for (const auto& shape : candidate_shapes(work, probe)) best = std::min(best, seconds(work, shape, size));
        losses.push_back(seconds(work, choose_shape(model, size), size) / best);
    }
    return choice_quality(losses);
}

TEST(VectorModel, ChoosesNearlyAsWellAsMeasuringEverything) {
    const Probe probe = h200_like();
    for (const VectorWork& work : {VectorWork{"axpy", false, 2, 1}, VectorWork{"dot", true, 2, 0}}) {
        const auto exact = quality_of(work, probe, fit_vector_model(work, probe, measured(work, probe, 0)));
        EXPECT_GE(exact.choices, 45);
        EXPECT_LE(exact.average_loss, 1.02) << work.kernel;
        EXPECT_LE(exact.worst_loss, 1.10) << work.kernel;
        const auto noisy = quality_of(work, probe, fit_vector_model(work, probe, measured(work, probe, 0.02)));
        EXPECT_LE(noisy.average_loss, 1.03) << work.kernel;
        EXPECT_LE(noisy.worst_loss, 1.12) << work.kernel;
    }
}

/// Of a kernel, blocks of 128 threads of which a multiprocessor holds so many.
VectorWork with_room(VectorWork work, int blocks) {
    for (const LaunchShape& shape : uncapped_shapes(work.reduces))
        work.residency.push_back({shape.threads, shape.elements, std::max(1, blocks * 128 / shape.threads)});
    return work;
}

TEST(VectorModel, ChoosesWellOnAverageWhereShapesSlowDownByAStep) {
    const Probe probe = h200_like();
    for (const VectorWork& kernel : {VectorWork{"advance", false, 6, 4}, VectorWork{"dot", true, 2, 0}}) {
        for (const int room : {8, 10, 16}) {
            const VectorWork work = with_room(kernel, room);
            const auto model = fit_vector_model(work, probe, measured(work, probe, 0, stepped_seconds));
            EXPECT_LE(quality_of(work, probe, model, stepped_seconds).average_loss, 1.03) << work.kernel << room;
        }
    }
}

/// Profiles of before have times at other sizes, too, of a few shapes.
TEST(VectorModel, GoesByTheSizesAtWhichAllShapesAreMeasured) {
    const Probe probe = h200_like();
    const VectorWork work{"axpy", false, 2, 1};
    auto points = measured(work, probe, 0);
    const VectorModel model = fit_vector_model(work, probe, points);
    points.push_back({2049, {128, 1, 0}, 1e-9});
    EXPECT_EQ(fit_vector_model(work, probe, points), model);
}

TEST(VectorModel, KeepsToWhatWasMeasuredNearBy) {
    const Probe probe = h200_like();
    const VectorWork work{"advance", false, 6, 4};
    auto points = measured(work, probe, 0);
    const LaunchShape best = choose_shape(fit_vector_model(work, probe, points), 300'000);
    const auto slows_down = [](std::size_t n) { return n > 270'000 && n < 376'000; };  // and is as fast as ever behind
    for (VectorPoint& point : points) {
        if (slows_down(point.n) && point.shape == effective_shape(best, point.n)) point.seconds *= 1.6;
    }
    EXPECT_FALSE(choose_shape(fit_vector_model(work, probe, points), 300'000) == best);
}

TEST(VectorModel, HasATreeWithoutGapsWhoseNeighboursDiffer) {
    const Probe probe = h200_like();
    const VectorWork work{"axpy", false, 2, 1};
    const VectorModel model = fit_vector_model(work, probe, measured(work, probe, 0.02));
    ASSERT_GE(model.tree.size(), 2U);
    EXPECT_EQ(model.tree.front().from, 0);
    EXPECT_EQ(model.tree.back().to, kEndless);
    for (std::size_t i = 1; i < model.tree.size(); ++i) {
        EXPECT_EQ(model.tree[i].from, model.tree[i - 1].to);
        EXPECT_FALSE(model.tree[i].shape == model.tree[i - 1].shape);
        EXPECT_EQ(choose_shape(model, static_cast<std::size_t>(std::ceil(model.tree[i].from))), model.tree[i].shape);
    }
}

TEST(VectorModel, OfAFewDomainsGoesOnInTheOthers) {
    const Probe probe = h200_like();
    const VectorWork work{"axpy", false, 2, 1};
    auto points = measured(work, probe, 0);
    std::erase_if(points, [](const auto& point) { return point.n > 100'000; });
    const VectorModel model = fit_vector_model(work, probe, points);
    EXPECT_EQ(model.tree.back().to, kEndless);
    EXPECT_TRUE(fit_vector_model(work, probe, {}).tree.empty());
    EXPECT_NE(test::message_of([] { choose_shape({}, 5); }).find("tilespmv tune"), std::string::npos);
}

}  // namespace
}  // namespace tilespmv
