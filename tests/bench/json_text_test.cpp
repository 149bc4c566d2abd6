#include "tile/io/json_text.hpp"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/harness/json_node.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv::bench {
namespace {

using Json = nlohmann::json;
using test::message_of;

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonText, IsParsedUpToADepth) {
    EXPECT_FALSE(parse_json<Json>(nested(kDeepestJson)).is_discarded());
    EXPECT_TRUE(parse_json<Json>(nested(kDeepestJson + 1)).is_discarded());
    EXPECT_TRUE(parse_json<Json>(std::string(10'000'000, '[')).is_discarded());
    std::string objects;
    for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
    EXPECT_TRUE(parse_json<nlohmann::ordered_json>(objects).is_discarded());
    std::string flat = "[1";
    for (std::size_t i = 0; i < 10 * kDeepestJson; ++i) flat += ",[1],{}";
    EXPECT_FALSE(parse_json<Json>(flat + "]").is_discarded());
}

TEST(JsonText, IsParsedUpToANumberOfValues) {
    std::string text = "[1";
    for (std::size_t i = 2; i <= kMostJsonValues; ++i) text += ",1";
    EXPECT_TRUE(is_bounded_json(text + "]"));
    EXPECT_FALSE(is_bounded_json(text + ",1]"));
}

TEST(JsonText, BracketsInTextsDoNotCount) {
    const std::string brackets = nested(3 * kDeepestJson).substr(3 * kDeepestJson / 2);
    for (const char* before : {"", "\\\"", "\\\\", "\\\\\\\"", "a\\u005b\\\""}) {
        const std::string text = fmt::format("[\"{}{}\", 1]", before, brackets);
        EXPECT_FALSE(parse_json<Json>(text).is_discarded()) << text;
        EXPECT_TRUE(parse_json<Json>(fmt::format("[\"{}\", {}]", before, nested(kDeepestJson))).is_discarded());
    }
    for (const char* open : {"\"", "[\"", "\"\\", "]", "[]]", "}{"}) EXPECT_TRUE(parse_json<Json>(open).is_discarded());
}

/// What reading `text` as a whole number ends with.
template <class T>
std::string whole(const std::string& text) {
    const Json json = Json::parse(text);
    std::string read;
    const std::string error = message_of([&] { read = fmt::format("{}", JsonNode(json, "n").whole<T>()); });
    return read.empty() ? error : read;
}

TEST(JsonNode, WholeNumbersAreInTheRangeOfTheirType) {
    EXPECT_EQ(whole<std::int64_t>("9223372036854775807"), "1: n: is 9.223372036854776e+18, which is too large");
    EXPECT_EQ(whole<std::int64_t>("9223372036854774784"), "9223372036854774784");
    EXPECT_EQ(whole<std::int64_t>("9223372036854775808"), "1: n: is 9.223372036854776e+18, which is too large");
    EXPECT_EQ(whole<std::int64_t>("1e18"), "1000000000000000000");
    EXPECT_EQ(whole<std::uint64_t>("9223372036854775808"), "9223372036854775808");
    EXPECT_EQ(whole<std::uint64_t>("18446744073709551616"), "1: n: is 1.8446744073709552e+19, which is too large");
    EXPECT_EQ(whole<int>("2147483647"), "2147483647");
    EXPECT_EQ(whole<int>("2147483648"), "1: n: is 2147483648, which is too large");
    EXPECT_EQ(whole<int>("-1"), "1: n: is -1, expected none below 0");
}

TEST(JsonNode, TextsArePrintable) {
    const Json json = Json::parse(R"(["\u001b[31mred", "a\u202eb"])");
    const JsonNode node(json, "");
    EXPECT_EQ(node.elements()[0].text(), R"(\x1b[31mred)");
    EXPECT_EQ(node.elements()[1].text(), R"(a\u202eb)");
}

}  // namespace
}  // namespace tilespmv::bench
