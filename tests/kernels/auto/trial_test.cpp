#include "kernels/auto/trial.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"

namespace tilespmv {
namespace {

using test::message_of;
using ::testing::ElementsAre;

class Trial : public ::testing::Test {
protected:
    /// What is taken if `times` are measured; a time of 0 stands for an operator that cannot be made.
    std::string taken(const ProductTimes& times, offset_t products = 0) {
        measured_.clear();
        return fastest_by_trial(ranked_, own_, products, TuneCache(file_), key_, [&](const std::string& specification) {
            measured_.push_back(specification);
            if (times.at(specification) == 0) throw Error("no memory for " + specification);
            return times.at(specification);
        });
    }

    test::TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "tuning.json";
    TuneKey key_{"pattern", "float64", "float64", "device", "csr"};
    std::vector<RankedOperator> ranked_{{"first", 1, 10}, {"second", 2, 0}, {"third", 3, 0}, {"fourth", 4, 0}};
    std::vector<std::string> own_;
    std::vector<std::string> measured_;
};

TEST_F(Trial, TriesOperatorsOfTheProgramBesideTheFirstThree) {
    own_ = {"own", "fourth"};
    const ProductTimes times{{"own", 0.5}, {"first", 3}, {"second", 2}, {"third", 2.5}, {"fourth", 1}};
    EXPECT_EQ(taken(times), "own");
    EXPECT_THAT(measured_, ElementsAre("own", "fourth", "first", "second", "third"));
    key_.device = "another";
    EXPECT_EQ(taken({{"own", 0}, {"first", 3}, {"second", 2}, {"third", 2.5}, {"fourth", 4}}), "second");
}

TEST_F(Trial, TakesTheFastestOfTheFirstThree) {
    EXPECT_EQ(taken({{"first", 3}, {"second", 2}, {"third", 2.5}, {"fourth", 1}}), "second");
    EXPECT_THAT(measured_, ElementsAre("first", "second", "third"));
}

TEST_F(Trial, MeasuresNothingTwice) {
    EXPECT_EQ(taken({{"first", 3}, {"second", 2}, {"third", 2.5}}), "second");
    EXPECT_EQ(taken({}), "second");
    EXPECT_THAT(measured_, ElementsAre());
    key_.values = "float32";
    EXPECT_EQ(taken({{"first", 1}, {"second", 2}, {"third", 2.5}}), "first");
}

TEST_F(Trial, CountsPreparationIfProductsAreExpected) {
    const ProductTimes times{{"first", 1}, {"second", 2}, {"third", 3}};
    EXPECT_EQ(taken(times, 9), "second");
    EXPECT_EQ(taken(times, 11), "first");
    EXPECT_EQ(taken(times), "first");
}

TEST_F(Trial, PassesOverWhatCannotBeMade) {
    EXPECT_EQ(taken({{"first", 0}, {"second", 2}, {"third", 1}, {"fourth", 3}}), "third");
    EXPECT_THAT(measured_, ElementsAre("first", "second", "third", "fourth")) << "until three are tried";
    key_.device = "another";
    EXPECT_EQ(taken({{"first", 0}, {"second", 0}, {"third", 0}, {"fourth", 3}}), "fourth");
    key_.device = "a third";
    EXPECT_EQ(message_of([&] {
                  taken({{"first", 0}, {"second", 0}, {"third", 0}, {"fourth", 0}});
              }),
              "1: no memory for fourth");
}

}  // namespace
}  // namespace tilespmv
