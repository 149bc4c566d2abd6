#include "tile/io/signal_table.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace tilespmv {
namespace {

class SignalTableTest : public ::testing::Test {
protected:
    std::vector<int> take_all() {
        std::vector<int> taken;
        table_.take_all([&](int entry) { taken.push_back(entry); });
        return taken;
    }

    int one_ = 1;
    int two_ = 2;
    int three_ = 3;
    SignalTable<int, 2> table_;
};

TEST_F(SignalTableTest, TakesInAsManyAsFit) {
    EXPECT_TRUE(table_.add(&one_));
    EXPECT_TRUE(table_.add(&two_));
    EXPECT_FALSE(table_.add(&three_));
    EXPECT_TRUE(table_.remove(&one_));
    EXPECT_TRUE(table_.add(&three_));
    EXPECT_EQ(take_all(), (std::vector{3, 2}));
}

TEST_F(SignalTableTest, WhatAHandlerHasTakenIsNotThereAnyMore) {
    table_.add(&one_);
    table_.add(&two_);
    EXPECT_TRUE(table_.remove(&two_));
    EXPECT_EQ(take_all(), std::vector{1});
    EXPECT_EQ(take_all(), std::vector<int>{});
    EXPECT_FALSE(table_.remove(&one_));
}

}  // namespace
}  // namespace tilespmv
