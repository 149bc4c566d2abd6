#include "bench/harness/result.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/harness/json_node.hpp"
#include "tests/bench/sample_results.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv::bench {
namespace {

TEST(Metrics, FollowFromRawTimesAndBytes) {
    const Metrics m = metrics(sample_result("a", {3, 1, 2, 1}));
    EXPECT_DOUBLE_EQ(m.seconds, 1.5);
    EXPECT_DOUBLE_EQ(m.spread, 1.25 / 1.5);
    EXPECT_DOUBLE_EQ(m.cold_seconds, 5);
    EXPECT_DOUBLE_EQ(m.flops, 2 * 10 / 1.5);
    EXPECT_DOUBLE_EQ(m.bytes_per_second, 172 / 1.5);
    EXPECT_DOUBLE_EQ(m.share_of_bandwidth, 172 / 1.5 / 344);
    EXPECT_DOUBLE_EQ(m.preprocess_seconds, 8);
    EXPECT_DOUBLE_EQ(m.bytes_per_nonzero, 10);
    EXPECT_FALSE(m.in_cache);
}

TEST(Metrics, ProductThatFitsTheCacheIsMarked) {
    Result r = sample_result("a", {1});
    r.cache_bytes = r.product_bytes;
    EXPECT_TRUE(metrics(r).in_cache);
}

TEST(Metrics, NoTimesAndNoNonzeros) {
    Result r = sample_result("a", {});
    r.nnz = 0;
    const Metrics m = metrics(r);
    EXPECT_EQ(m.seconds, 0);
    EXPECT_EQ(m.flops, 0);
    EXPECT_EQ(m.bytes_per_nonzero, 0);
}

Result result_of(const nlohmann::json& json) { return read_result(JsonNode(json, "")); }

TEST(ResultJson, RoundTrip) {
    Result written = sample_result("gen:laplace2d:n=4", {1.0 / 3, 0.1, 1e-9});
    written.graph = {.seconds = {1, 2}, .batch = 100, .converged = true};
    written.chain = {.seconds = {3}, .batch = 20};
    written.axpy = {.seconds = {5, 4}, .batch = 2};
    written.axpy_alone = {.seconds = {0.5}, .batch = 64, .converged = true};
    written.speedups.push_back(
        {.baseline = "a", .against = "a:b", .median = 2, .low = 1, .high = 3, .mode = Mode::graph});
    written.runs = "sell";
    written.columns = 3;
    written.pattern_values = "ones";
    const Result read = result_of(nlohmann::json::parse(nlohmann::json(written).dump()));
    EXPECT_TRUE(read == written);
}

TEST(ResultJson, WhatWasExecutedIsAnArrayOfObjects) {
    const nlohmann::json json = sample_result("a", {1});
    EXPECT_EQ(json.at("executed"), nlohmann::json::parse(R"([
                  {"representation": "tiles", "format": "coo", "tile_rows": 1, "nnz": 7, "bytes": 60},
                  {"representation": "csr", "format": "deferred", "tile_rows": 1, "nnz": 3, "bytes": 40}])"));
}

TEST(ResultJson, FilesOfOlderVersionsDoNotSayWhatWasExecutedNorWhatTilesTake) {
    nlohmann::json json = sample_result("a", {1});
    for (const char* name : {"executed", "tiled_bytes", "published_bytes"}) json.erase(name);
    const Result read = result_of(json);
    EXPECT_TRUE(read.executed.empty());
    EXPECT_EQ(read.stored, (StoredTiles{.formats = sample_result("a", {1}).stored.formats}));
    EXPECT_EQ(read.warm.seconds, std::vector{1.0});
}

TEST(ResultJson, IntervalsThatAreUnbounded) {
    Result written = sample_result("a", {1, 2});
    constexpr double infinity = std::numeric_limits<double>::infinity();
    written.speedups = {{.baseline = "csr-omp", .against = "csr-omp", .median = 2, .low = -infinity, .high = infinity}};
    EXPECT_EQ(result_of(nlohmann::json::parse(nlohmann::json(written).dump())).speedups, written.speedups);
}

TEST(ResultJson, NumbersAreInTheRangeOfWhatTheyCount) {
    const auto refusal = [](const char* pointer, const nlohmann::json& value) {
        nlohmann::json json = sample_result("a", {1, 2});
        json[nlohmann::json::json_pointer(pointer)] = value;
        return test::message_of([&] { result_of(json); });
    };
    EXPECT_EQ(refusal("/warm/seconds/1", 2), "0: ");
    EXPECT_EQ(refusal("/warm/seconds/1", 0), "1: warm.seconds[1]: is 0, expected a number above 0");
    EXPECT_EQ(refusal("/cold/seconds/0", -1e-5), "1: cold.seconds[0]: is -1e-05, expected a number above 0");
    EXPECT_EQ(refusal("/preprocess/seconds/0", nullptr), "1: preprocess.seconds[0]: expected a number");
    EXPECT_EQ(refusal("/bandwidth/read", -1), "1: bandwidth.read: is -1, expected none below 0");
    EXPECT_EQ(refusal("/nnz", 9223372036854775808u), "1: nnz: is 9.223372036854776e+18, which is too large");
    EXPECT_EQ(refusal("/rows", 0), "1: nnz: is 10 of an empty matrix");
    EXPECT_EQ(refusal("/rows", 1e300), "1: rows: is 1e+300, which is too large");
    EXPECT_EQ(refusal("/executed/0/nnz", 0.5), "1: executed[0].nnz: is 0.5, expected a whole number");
    EXPECT_EQ(refusal("/status", "fine"), "1: status: is 'fine', which is no status");
}

TEST(ResultJson, FailedAndWrongCasesHaveNoTimes) {
    Result written;
    written.status = Status::wrong;
    written.error = "row 3 is wrong";
    written.error_ratio = std::numeric_limits<double>::infinity();
    const nlohmann::json json = written;
    EXPECT_FALSE(json.contains("warm"));
    EXPECT_FALSE(json.contains("derived"));
    const Result read = result_of(json);
    EXPECT_EQ(read.status, Status::wrong);
    EXPECT_EQ(read.error, "row 3 is wrong");
    EXPECT_EQ(read.error_ratio, written.error_ratio);
}

}  // namespace
}  // namespace tilespmv::bench
