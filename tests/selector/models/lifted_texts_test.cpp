#include "selector/models/lifted_texts.hpp"

#include <string>

#include <gtest/gtest.h>

namespace tilespmv {
namespace {

TEST(LiftedTexts, AreThoseOfTheKeyInOrder) {
    const std::string json = R"({"a": "1 2 3", "b": ["x"], "c": {"a" : "", "aa": "4"}, "a":
 "5"})";
    const auto lifted = lift_texts(json, "a");
    EXPECT_EQ(lifted.rest, R"({"a": "#0", "b": ["x"], "c": {"a" : "#1", "aa": "4"}, "a":
 "#2"})");
    EXPECT_EQ(lifted.find("#0"), "1 2 3");
    EXPECT_EQ(lifted.find("#1"), "");
    EXPECT_EQ(lifted.find("#2"), "5");
}

TEST(LiftedTexts, LeaveWhatIsNoPlainString) {
    for (const std::string json : {R"({"a": 5})", R"({"a": ["a"]})", R"({"a": "1 \" 2"})", R"({"b": "\"a\": \"x\""})",
                                   R"({"a": "1)", R"({"a")", R"({"a":)", R"(["a"])", ""}) {
        const auto lifted = lift_texts(json, "a");
        EXPECT_EQ(lifted.rest, json);
        EXPECT_TRUE(lifted.texts.empty()) << json;
    }
}

TEST(LiftedTexts, AreFoundByTheirMarksAlone) {
    const auto lifted = lift_texts(R"({"a": "1"})", "a");
    ASSERT_EQ(lifted.find("#0"), "1");
    for (const char* const other : {"", "#", "0", "#1", "#-1", "#0 ", " #0", "#00x", "#99999999999999999999"})
        EXPECT_FALSE(lifted.find(other)) << other;
}

}  // namespace
}  // namespace tilespmv
