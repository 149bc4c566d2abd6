#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "selector/models/accuracy.hpp"
#include "selector/models/least_squares.hpp"

namespace tilespmv {
namespace {

TEST(NonNegativeLeastSquares, AgreesWithTheOnlyActiveSetThatIsRight) {
    // Against all 2^k active sets: the feasible one of the least error.
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    for (int round = 0; round < 200; ++round) {
        std::vector<std::vector<double>> rows(7, std::vector<double>(2));
        std::vector<double> b(7);
        for (auto& row : rows) {
            for (double& a : row) a = normal(random);
        }
        for (double& value : b) value = normal(random);
        const auto error = [&](double x, double y) {
            double sum = 0;
            for (std::size_t i = 0; i < b.size(); ++i) sum += std::pow(rows[i][0] * x + rows[i][1] * y - b[i], 2);
            return sum;
        };
        const auto x = non_negative_least_squares(rows, b);
        ASSERT_GE(x[0], 0);
        ASSERT_GE(x[1], 0);
        const double found = error(x[0], x[1]);
        for (double dx = -0.01; dx <= 0.01; dx += 0.01) {
            for (double dy = -0.01; dy <= 0.01; dy += 0.01) {
                if (x[0] + dx < 0 || x[1] + dy < 0) continue;
                ASSERT_LE(found, error(x[0] + dx, x[1] + dy) + 1e-12) << "round " << round;
            }
        }
    }
}

TEST(NonNegativeLeastSquares, TakesColumnsOfZerosAndEqualOnes) {
    const std::vector<std::vector<double>> rows{{1, 1, 0}, {2, 2, 0}, {3, 3, 0}};
    const auto x = non_negative_least_squares(rows, std::vector<double>{2, 4, 6});
    EXPECT_NEAR(x[0] + x[1], 2, 1e-9);
    EXPECT_EQ(x[2], 0);
    EXPECT_TRUE(non_negative_least_squares({}, {}).empty());
}

TEST(FitCosts, FindPlantedCostsThroughNoiseAndOutliers) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> share(0, 1);
    const std::vector<double> planted{2e-6, 3e-12, 0, 5e-11};
    std::vector<WorkTime> points;
    for (int i = 0; i < 60; ++i) {
        const double nnz = std::pow(10, 4 + 3 * share(random));
        WorkTime point{{1, nnz, nnz * share(random), nnz / (2 + 30 * share(random))}, 0};
        point.seconds = seconds_of(point.amounts, planted) * (0.98 + 0.04 * share(random));
        if (i % 20 == 7) point.seconds *= 3;
        points.push_back(point);
    }
    const auto costs = fit_costs(points);
    EXPECT_NEAR(costs[0], planted[0], 0.05 * planted[0]);
    EXPECT_NEAR(costs[1], planted[1], 0.15 * planted[1]);
    EXPECT_LT(costs[2], 0.1 * planted[1]);
    EXPECT_NEAR(costs[3], planted[3], 0.05 * planted[3]);
}

TEST(SolvePositiveDefinite, SolvesAndRefusesWhatIsNot) {
    const std::vector<std::vector<double>> a{{4, 2, 0}, {2, 5, 1}, {0, 1, 3}};
    const auto x = solve_positive_definite(a, std::vector<double>{8, 15, 11});  // of 1, 2, 3
    ASSERT_EQ(x.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(x[i], static_cast<double>(i + 1), 1e-12);
    EXPECT_NEAR(solve_with_determinant(a, std::vector<double>{8, 15, 11}).log_determinant, std::log(44), 1e-12);
    EXPECT_TRUE(
        solve_positive_definite(std::vector<std::vector<double>>{{1, 2}, {2, 1}}, std::vector{1.0, 1.0}).empty());
}

TEST(Accuracy, IsTheMeanOfWhatIsNotWrong) {
    EXPECT_EQ(mean_accuracy({}), 0);
    EXPECT_DOUBLE_EQ(mean_accuracy(std::vector<PredictedTime>{{90, 100}, {110, 100}, {100, 100}, {400, 100}}),
                     (0.9 + 0.9 + 1 - 2) / 4);
}

TEST(Accuracy, OfChoicesIsWhatTheyLose) {
    const auto quality = choice_quality(std::vector<double>{1, 1.05, 2, 1.06});
    EXPECT_EQ(quality.choices, 4);
    EXPECT_DOUBLE_EQ(quality.near_best, 0.5);
    EXPECT_DOUBLE_EQ(quality.mean_loss, std::pow(1.05 * 2 * 1.06, 0.25));
    EXPECT_DOUBLE_EQ(quality.average_loss, (1 + 1.05 + 2 + 1.06) / 4);
    EXPECT_DOUBLE_EQ(quality.worst_loss, 2);
    EXPECT_EQ(choice_quality({}).choices, 0);
}

}  // namespace
}  // namespace tilespmv
