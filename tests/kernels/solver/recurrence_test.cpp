#include "kernels/solver/recurrence.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace tilespmv::solver {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Recurrence, AStartHasNoDirectionBefore) {
    Scalars s;
    s.iterations = 7;
    take_inner_products(s, 6, 3, 10);
    EXPECT_EQ(s.beta, 0);
    EXPECT_EQ(s.alpha, 2);
    EXPECT_EQ(s.rho, 6);
    EXPECT_EQ(s.residual2, 10);
    EXPECT_EQ(s.iterations, 7);
    EXPECT_EQ(s.end, End::none);
}

TEST(Recurrence, AnIterationIsThatOfChronopoulosAndGear) {
    Scalars s;
    take_inner_products(s, 6, 3, 10);
    take_inner_products(s, 3, 4, 5);
    EXPECT_EQ(s.beta, 0.5);
    EXPECT_EQ(s.alpha, 3 / (4 - 3 * 0.5 / 2));
    EXPECT_EQ(s.iterations, 1);
}

TEST(Recurrence, AnIterationIsThatOfTheTextbook) {
    Scalars s;
    take_ratio(s, 6, 10);
    EXPECT_EQ(s.beta, 0);
    EXPECT_EQ(s.iterations, 0);
    take_step_length(s, 3);
    EXPECT_EQ(s.alpha, 2);
    take_ratio(s, 3, 5);
    EXPECT_EQ(s.beta, 0.5);
    EXPECT_EQ(s.iterations, 1);
}

TEST(Recurrence, TellsEndsApart) {
    const auto end_of = [](double rho, double mu, double residual2) {
        Scalars s;
        s.tolerance2 = 4;
        take_inner_products(s, rho, mu, residual2);
        return s.end;
    };
    EXPECT_EQ(end_of(1, 1, 5), End::none);
    EXPECT_EQ(end_of(1, 1, 4), End::converged);
    EXPECT_EQ(end_of(-1, 1, 4), End::converged);  // a small residual is all that counts
    EXPECT_EQ(end_of(0, 1, 5), End::not_positive_definite);
    EXPECT_EQ(end_of(1, 0, 5), End::not_positive_definite);
    EXPECT_EQ(end_of(1, -1, 5), End::not_positive_definite);
    EXPECT_EQ(end_of(kNan, 1, 5), End::not_a_number);
    EXPECT_EQ(end_of(1, kNan, 5), End::not_a_number);
    EXPECT_EQ(end_of(1, kInf, 5), End::not_a_number);
    EXPECT_EQ(end_of(1, 1, kNan), End::not_a_number);
    EXPECT_EQ(end_of(1, 1, kInf), End::not_a_number);
}

TEST(Recurrence, NothingChangesAfterTheEnd) {
    Scalars s;
    s.end = End::limit;
    take_inner_products(s, 6, 3, 10);
    take_step_length(s, 3);
    take_ratio(s, 6, 10);
    EXPECT_EQ(s.rho, 0);
    EXPECT_EQ(s.mu, 0);
    EXPECT_EQ(s.residual2, 0);
    EXPECT_EQ(s.iterations, 0);
}

TEST(Recurrence, ResumesAsIfItHadNotEnded) {
    Scalars whole;
    take_inner_products(whole, 6, 3, 10);
    Scalars s = whole;
    take_inner_products(whole, 3, 4, 5);
    s.tolerance2 = 5;
    take_inner_products(s, 3, 4, 5);
    EXPECT_EQ(s.end, End::converged);
    resume(s, Method::chronopoulos_gear);
    EXPECT_EQ(s.end, End::none);
    EXPECT_EQ(s.alpha, whole.alpha);
    EXPECT_EQ(s.beta, whole.beta);
}

}  // namespace
}  // namespace tilespmv::solver
