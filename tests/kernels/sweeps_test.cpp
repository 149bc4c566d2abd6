#include "kernels/sweeps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/message_of.hpp"

namespace tilespmv {
namespace {

using testing::ElementsAre;

const OperatorEntry kEntry{.name = "op", .summary = "", .sweeps = "alg=1|2,block=4|8|16"};

TEST(SweepsOf, AreOptionsWithTheirValues) {
    EXPECT_THAT(sweeps_of(kEntry), ElementsAre(Sweep{"alg", {"1", "2"}}, Sweep{"block", {"4", "8", "16"}}));
    EXPECT_TRUE(sweeps_of({.name = "plain", .summary = "", .sweeps = ""}).empty());
}

TEST(ExpandSweeps, WithoutAllNothingChanges) {
    for (const char* specification : {"op", "op:alg=1", "op:alg=allsorts", "op:block=4,alg=2"}) {
        EXPECT_THAT(expand_sweeps(kEntry, specification), ElementsAre(specification));
    }
}

TEST(ExpandSweeps, AllStandsForEveryValueAndOptionsMultiply) {
    EXPECT_THAT(expand_sweeps(kEntry, "op:alg=all"), ElementsAre("op:alg=1", "op:alg=2"));
    EXPECT_THAT(expand_sweeps(kEntry, "op:block=all,alg=2"),
                ElementsAre("op:block=4,alg=2", "op:block=8,alg=2", "op:block=16,alg=2"));
    EXPECT_THAT(expand_sweeps(kEntry, "op:alg=all,block=all"),
                ElementsAre("op:alg=1,block=4", "op:alg=1,block=8", "op:alg=1,block=16", "op:alg=2,block=4",
                            "op:alg=2,block=8", "op:alg=2,block=16"));
}

TEST(ExpandSweeps, OptionWithoutKnownValuesIsAUsageError) {
    EXPECT_EQ(test::message_of([] { expand_sweeps(kEntry, "op:threads=all"); }),
              "2: operator op: no values are known for threads=all; there are sweeps of alg, block");
}

}  // namespace
}  // namespace tilespmv
