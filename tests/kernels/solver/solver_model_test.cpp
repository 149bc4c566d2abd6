#include "kernels/solver/solver_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilespmv::testing {
namespace {

using ::testing::HasSubstr;

constexpr double kIndexBytes = 4;

IteratedSystem system_of(double rows, double nonzeros) {
    return {.rows = rows, .matrix_bytes = nonzeros * (8 + kIndexBytes) + 8 * rows};
}

const SolverMachine kH200 = gpu_solver_machine({});

struct Measured {
    double rows, nonzeros, chronopoulos_gear, textbook;  ///< microseconds of an iteration
};

// On an H200, in graphs.
constexpr Measured kMeasured[]{
    {1'024, 5e3, 6.2, 7.9},       {10'000, 5e4, 8.0, 10.6},   {90'000, 4.5e5, 10.1, 13.2},
    {216'000, 1.5e6, 16.8, 20.4}, {390'150, 3e7, 84.3, 79.5}, {1'000'000, 7e6, 49.9, 49.4},
    {4'096'000, 2.9e7, 220, 195},
};

TEST(SolverModel, TakesTheRecurrenceThatWasMeasuredToBeFaster) {
    for (const auto& m : kMeasured) {
        const auto choice = choose_recurrence(system_of(m.rows, m.nonzeros), kH200);
        EXPECT_EQ(choice.is_chronopoulos_gear, m.chronopoulos_gear < m.textbook) << m.rows;
    }
}

TEST(SolverModel, PredictsWhatWasMeasuredWithinAThird) {
    for (const auto& m : kMeasured) {
        const auto choice = choose_recurrence(system_of(m.rows, m.nonzeros), kH200);
        EXPECT_NEAR(choice.chronopoulos_gear.total() * 1e6 / m.chronopoulos_gear, 1, 0.34) << m.rows;
        EXPECT_NEAR(choice.textbook.total() * 1e6 / m.textbook, 1, 0.34) << m.rows;
    }
}

TEST(SolverModel, AKernelThatStaysMeetsOnceLessInOneRecurrence) {
    auto system = system_of(4'096'000, 2.9e7);  // whatever its size
    system.is_persistent = true;
    const auto choice = choose_recurrence(system, kH200);
    EXPECT_TRUE(choice.is_chronopoulos_gear);
    EXPECT_EQ(choice.textbook.vectors, 0);
    EXPECT_NEAR(choice.textbook.waits / choice.chronopoulos_gear.waits, 1.5, 1e-12);
    EXPECT_THAT(choice.why, HasSubstr("one reduction instead of two"));
    auto small = system_of(1'024, 5e3);
    small.is_persistent = true;
    EXPECT_NEAR(choose_recurrence(small, kH200).chronopoulos_gear.total() * 1e6, 5.0, 0.2);
}

IteratedSystem over_ranks(double rows, double nonzeros) {
    auto system = system_of(rows, nonzeros);
    system.is_over_ranks = true;
    return system;
}

TEST(SolverModel, OverRanksASumIsWaitedForBesideALaunch) {
    const auto large = choose_recurrence(over_ranks(7'263'392, 5.07e7), kH200);  // half of laplace3d:n=244
    EXPECT_FALSE(large.is_chronopoulos_gear);
    EXPECT_THAT(large.why, HasSubstr("which moves fewer values of vectors: predicted "));
    EXPECT_FALSE(choose_recurrence(over_ranks(1'898'208, 5.06e7), kH200).is_chronopoulos_gear) << "of stencil27:n=156";
    const auto small = choose_recurrence(over_ranks(108'000, 7.5e5), kH200);
    EXPECT_TRUE(small.is_chronopoulos_gear);
    EXPECT_THAT(small.why, HasSubstr("which adds over ranks once an iteration instead of twice: predicted "));
    const auto waits = [](const RecurrenceChoice& choice) {
        return choice.textbook.waits - choice.chronopoulos_gear.waits;
    };
    EXPECT_NEAR(waits(large), kH200.launch_seconds + kH200.rank_sum_seconds, 1e-12);
    EXPECT_NEAR(waits(small), kH200.cached_launch_seconds + kH200.rank_sum_seconds, 1e-12);
}

TEST(SolverModel, OverRanksTheTextbookPaysFromMoreRowsOn) {
    EXPECT_FALSE(choose_recurrence(system_of(1'000'000, 7e6), kH200).is_chronopoulos_gear);
    EXPECT_TRUE(choose_recurrence(over_ranks(1'000'000, 7e6), kH200).is_chronopoulos_gear);
    auto no_wait = kH200;
    no_wait.rank_sum_seconds = 0;
    EXPECT_FALSE(choose_recurrence(over_ranks(1'000'000, 7e6), no_wait).is_chronopoulos_gear);
}

TEST(SolverModel, APreconditionerThatStandsAloneCostsTheTextbookAsManyValues) {
    EXPECT_EQ(textbook_shape(true).values, 13);
    EXPECT_EQ(chronopoulos_gear_shape(true).values, 15);
    EXPECT_EQ(textbook_shape(false).values, chronopoulos_gear_shape(false).values);
    auto system = system_of(4'096'000, 2.9e7);
    EXPECT_FALSE(choose_recurrence(system, kH200).is_chronopoulos_gear);
    system.fuses_diagonal = false;
    EXPECT_TRUE(choose_recurrence(system, kH200).is_chronopoulos_gear);
}

TEST(SolverModel, OnACpuValuesCountAlone) {
    for (const double rows : {1.0, 1e3, 1e7}) {
        for (const bool fuses : {true, false}) {
            auto system = system_of(rows, 5 * rows);
            system.fuses_diagonal = fuses;
            const auto choice = choose_recurrence(system, cpu_solver_machine());
            EXPECT_FALSE(choice.is_chronopoulos_gear) << rows;
            EXPECT_THAT(choice.why, HasSubstr(fuses ? "fewer values" : "a vector less"));
            system.is_over_ranks = true;
            EXPECT_EQ(choose_recurrence(system, cpu_solver_machine()).why, choice.why);
        }
    }
}

TEST(SolverModel, FiguresOfAnotherMachineDecideOtherwise) {
    auto slow_launches = kH200;
    slow_launches.launch_seconds = 50e-6;
    EXPECT_TRUE(choose_recurrence(system_of(4'096'000, 2.9e7), slow_launches).is_chronopoulos_gear);
}

}  // namespace
}  // namespace tilespmv::testing
