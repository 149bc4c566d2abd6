#include "selector/models/similarity.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "selector/models/anchor_text.hpp"
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

TEST(AnchorsText, KeepsWeightsAndPlaces) {
    std::vector<Anchor> anchors(2);
    anchors[0].weight = 0.1 + 0.2;
    anchors[0].place.fill(-1.2345);
    anchors[1].weight = -3e-9;
    anchors[1].place[26] = 12.0001;
    const std::string text = anchors_text(anchors);
    EXPECT_EQ(text.substr(0, 33), "0.30000000000000004 -12345 -12345");
    EXPECT_EQ(parse_anchors(text), anchors);
    EXPECT_EQ(anchors_text({}), "");
    EXPECT_EQ(parse_anchors(""), std::vector<Anchor>{});
}

TEST(AnchorsText, IsRefusedIfItIsDamaged) {
    const std::string text = anchors_text(std::vector<Anchor>(2));
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

double squared_distance(const Place& a, const Place& b) {
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
    return squares;
}

Place place_on(const char* specification, const MatrixFeatures& f, std::span<const double> costs) {
    const Probe probe = h200_like();
    return place_of(product_work(modelled_operator(true, specification).candidate, f, probe), costs);
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

TEST(PlaceOf, IsRoundedAndFiniteForAnEmptyMatrix) {
    for (const double one : place_on("csr-merge", MatrixFeatures{}, costs_of(0))) {
        EXPECT_TRUE(std::isfinite(one));
        EXPECT_NEAR(one * 1e4, std::round(one * 1e4), 1e-6);
    }
}

}  // namespace
}  // namespace tilespmv
