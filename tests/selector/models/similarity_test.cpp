#include "selector/models/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "selector/models/anchor_text.hpp"
#include "selector/models/similarity_vectors.hpp"
#include "tests/selector/models/synthetic.hpp"

namespace tilespmv {
namespace {

using test::h200_like;

TEST(Correction, IsThatOfWhatIsNearAndNothingFarAway) {
    Place near{};
    Place far{};
    far.fill(10);
    const auto anchors = fit_correction(std::vector{near, far}, std::vector{0.4, -0.2});
    EXPECT_NEAR(correction_at(near, anchors), 0.4 / 1.003, 1e-6) << "but for the noise";
    EXPECT_NEAR(correction_at(far, anchors), -0.2 / 1.003, 1e-6);
    Place between{};
    between.fill(5);
    EXPECT_NEAR(correction_at(between, anchors), 0, 1e-6);
    EXPECT_EQ(correction_at(near, {}), 0);
    Place close{};
    close[0] = 0.5;
    EXPECT_GT(correction_at(close, anchors), 0.2);
    EXPECT_LT(correction_at(close, anchors), 0.4);
}

/// Anchors at random places in whole units around 0; some of them the same.
std::vector<Anchor> drawn_anchors(std::size_t count, double spread) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> unit(static_cast<int>(-spread * Anchors::kUnits),
                                            static_cast<int>(spread * Anchors::kUnits));
    std::vector<Anchor> anchors(count);
    for (Anchor& anchor : anchors) {
        std::ranges::generate(anchor.place, [&] { return unit(random) / Anchors::kUnits; });
        anchor.weight = unit(random) / Anchors::kUnits;
    }
    return anchors;
}

double squared_distance(const Place& a, const Place& b) {
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
    return squares;
}

/// As documented, by the functions of the standard library.
double correction_by_definition(const Place& place, std::span<const Anchor> anchors) {
    double correction = 0;
    for (const Anchor& anchor : anchors) {
        const double d = std::sqrt(squared_distance(place, anchor.place));
        const double smooth = std::sqrt(3.0) * d;
        correction += anchor.weight * (0.7 * (1 + smooth) * std::exp(-smooth) + 0.3 * std::exp(-d));
    }
    return correction;
}

void expect_corrections_by_definition() {
    for (const std::size_t count : {1, 15, 16, 17, 256, 900}) {
        const auto anchors = drawn_anchors(count, 0.4);
        const Anchors all(anchors);
        Place off_units = anchors[0].place;
        off_units[3] += 1e-6;
        Place far = anchors[0].place;
        far[5] = 3.2767;
        Place farther = far;
        farther[5] = -70;
        Place near_limit = anchors[0].place;
        for (std::size_t i = 0; i < 4; ++i) near_limit[i] = i % 2 == 0 ? 3.2 : -3.2;
        for (const Place& place : {anchors[0].place, Place{}, off_units, far, farther, near_limit}) {
            EXPECT_NEAR(correction_at(place, all), correction_by_definition(place, anchors), 1e-11) << count;
        }
    }
}

template <class Expectation>
void expect_with_every_instruction_set(Expectation&& expect) {
    const auto supported = hwy::SupportedTargets();
    for (auto left = supported; left != 0; left &= left - 1) {
        hwy::SetSupportedTargetsForTest(left & -left);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        SCOPED_TRACE(hwy::TargetName(left & -left));
        expect();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(Correction, IsThatOfItsDefinitionWithEveryInstructionSet) {
    expect_with_every_instruction_set(expect_corrections_by_definition);
}

TEST(SquaredDistances, AreOfAllCoordinatesWithEveryInstructionSet) {
    expect_with_every_instruction_set([] {
        for (const std::size_t count : {0, 1, 3, 8, 37}) {
            std::vector<float> coordinates;  // of two axes
            std::vector<double> expected;
            for (std::size_t i = 0; i < 2 * count; ++i) coordinates.push_back(static_cast<float>(i) / 4);
            for (std::size_t i = 0; i < count; ++i)
                expected.push_back(std::pow(coordinates[i] - 0.5, 2) + std::pow(coordinates[count + i] + 2, 2));
            std::vector<double> squares(count);
            squared_distances(coordinates, std::vector{0.5F, -2.0F}, squares);
            EXPECT_EQ(squares, expected);
        }
    });
}

TEST(WeightedSum, IsOfAllWithEveryInstructionSet) {
    expect_with_every_instruction_set([] {
        for (const std::size_t count : {0, 1, 7, 16, 37, 130}) {
            std::vector<float> weights;
            std::vector<double> similarities;
            double expected = 0;
            for (std::size_t i = 0; i < count; ++i) {
                weights.push_back(static_cast<float>(i) - 9);
                similarities.push_back(0.25 * static_cast<double>(i));
                expected += weights[i] * similarities[i];
            }
            EXPECT_EQ(weighted_sum(weights, similarities), expected) << count;
        }
    });
}

TEST(Correction, IsTheSameOfPlacesThatAreNoUnits) {
    auto anchors = drawn_anchors(100, 0.4);
    const double of_units = correction_at(anchors[40].place, Anchors(anchors));
    for (Anchor& anchor : anchors) anchor.place[26] += 1e-9;
    EXPECT_NE(Anchors(anchors)[40].place[26], drawn_anchors(100, 0.4)[40].place[26]) << "kept as they are";
    EXPECT_NEAR(correction_at(drawn_anchors(100, 0.4)[40].place, Anchors(anchors)), of_units, 1e-7);
    EXPECT_NEAR(correction_at(anchors[40].place, Anchors(anchors)), of_units, 1e-11);
}

TEST(Similarities, AreThoseOfTheDefinitionAtAnyDistance) {
    std::vector<double> squares{0, 1e-8, 1e-4, 0.01, 0.5, 1, 2, 10, 42.9, 400, 1e4, 1e8, 1e300};
    std::vector<double> found(squares.size());
    similarities(squares, found);
    EXPECT_EQ(found[0], 1);
    for (std::size_t i = 0; i < squares.size(); ++i) {
        Place place{};
        place[0] = std::sqrt(squares[i]);
        const double expected = correction_by_definition(place, std::vector<Anchor>{{Place{}, 1}});
        EXPECT_NEAR(found[i], expected, 1e-12 * expected + 1e-170) << squares[i];
    }
}

TEST(Anchors, GiveBackWhatTheyWereMadeOf) {
    for (const double spread : {1.0, 5.0}) {  // the latter more than units take
        const auto anchors = drawn_anchors(37, spread);
        const Anchors all(anchors);
        ASSERT_EQ(all.size(), anchors.size());
        for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], anchors[i]) << i;
        EXPECT_EQ(all, Anchors(anchors));
        auto other = anchors;
        other[36].place[26] += 1e-4;
        EXPECT_NE(all, Anchors(other));
    }
}

TEST(AnchorsText, KeepsWeightsAndPlaces) {
    std::vector<Anchor> anchors(2);
    anchors[0].weight = 0.1 + 0.2;
    anchors[0].place.fill(-1.2345);
    anchors[1].weight = -3e-9;
    anchors[1].place[26] = 12.0001;
    const std::string text = anchors_text(Anchors(anchors));
    EXPECT_EQ(text.substr(0, 33), "0.30000000000000004 -12345 -12345");
    EXPECT_EQ(parse_anchors(text), Anchors(anchors));
    EXPECT_EQ(anchors_text({}), "");
    EXPECT_EQ(parse_anchors(""), Anchors{});
}

TEST(AnchorsText, IsRefusedIfItIsDamaged) {
    const std::string text = anchors_text(Anchors(std::vector<Anchor>(2)));
    ASSERT_TRUE(parse_anchors(text));
    for (const std::string& damaged :
         {text + " ", " " + text, text + " 0.5", text.substr(0, text.size() - 2), "x" + text, "nan" + text.substr(1),
          "inf" + text.substr(1), text + "x", std::string("1.5")}) {
        EXPECT_FALSE(parse_anchors(damaged)) << damaged;
    }
}

TEST(Correction, TakesTheMeanOfErrorsAtOnePlace) {
    const std::vector<Place> same(4);
    EXPECT_NEAR(correction_at(same[0], fit_correction(same, std::vector{0.1, 0.3, 0.2, 0.2})), 0.8 / 4.3, 1e-9)
        << "with much noise";
    EXPECT_NEAR(correction_at(same[0], fit_correction(same, std::vector{0.2, 0.2001, 0.2, 0.2})), 0.8001 / 4.003, 1e-9)
        << "with little";
}

MatrixFeatures grid() {
    MatrixFeatures f;
    f.rows = f.cols = 40'000;
    f.nnz = 640'000;
    f.mean_row = 16;
    f.longest_row = 16;
    f.x_sectors = 0.2;
    return f;
}

std::vector<double> costs_of(double rows) {
    std::vector<double> costs(model_terms().size());
    costs[static_cast<std::size_t>(Term::launch)] = 1e-6;
    costs[static_cast<std::size_t>(Term::rows)] = rows;
    return costs;
}

Place place_on(const char* specification, const MatrixFeatures& f, std::span<const double> costs) {
    const Probe probe = h200_like();
    return place_of(product_work(modelled_operator(true, specification), f, probe), costs);
}

TEST(PlaceOf, DependsOnWhatAProductWaitsFor) {
    const Place launch = place_on("csr-merge", grid(), costs_of(1e-15));
    const Place rows = place_on("csr-merge", grid(), costs_of(1e-8));
    EXPECT_GT(squared_distance(launch, rows), 1) << "nearly all of the time for rows instead of the launch";
    EXPECT_EQ(launch, place_on("csr-merge", grid(), costs_of(1e-15)));
}

TEST(PlaceOf, TellsLengthsOfRowsThatPowersOfTwoDivide) {
    MatrixFeatures odd = grid();
    odd.longest_row = 15;
    odd.mean_row = 15;
    MatrixFeatures uneven = grid();
    uneven.row_deviation = 8;
    const Place even = place_on("csr-merge", grid(), costs_of(0));
    EXPECT_GT(squared_distance(even, place_on("csr-merge", odd, costs_of(0))), 0.04);
    EXPECT_GT(squared_distance(even, place_on("csr-merge", uneven, costs_of(0))), 0.04);
}

TEST(PlaceOf, TellsAWaveThatIsFullFromOneThatHasHardlyBegun) {
    const std::vector<double> costs(model_terms().size(), 1e-9);
    const auto place = [&](double waves) {
        MatrixFeatures f;
        const Probe probe = h200_like();
        ProductWork work = product_work(modelled_operator(true, "ell"), f, probe);
        work.launch_waves = waves;
        return place_of(work, costs);
    };
    const auto distance = [&](double a, double b) { return std::sqrt(squared_distance(place(a), place(b))); };
    EXPECT_GT(distance(1, 1.02), 0.25);
    EXPECT_LT(distance(0.98, 1), 0.02);
    EXPECT_LT(distance(20, 20.4), 0.04) << "one of many";
    EXPECT_LT(distance(0.1, 0.102), 0.02) << "none is full";
}

TEST(PlaceOf, IsRoundedAndFiniteForAnEmptyMatrix) {
    for (const double one : place_on("csr-merge", MatrixFeatures{}, costs_of(0))) {
        EXPECT_TRUE(std::isfinite(one));
        EXPECT_NEAR(one * 1e4, std::round(one * 1e4), 1e-6);
    }
}

}  // namespace
}  // namespace tilespmv
