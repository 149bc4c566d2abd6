#include "bench/harness/result.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/bench/sample_results.hpp"

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

TEST(ResultJson, RoundTrip) {
    Result written = sample_result("gen:laplace2d:n=4", {1.0 / 3, 0.1, 1e-9});
    written.graph = {.seconds = {1, 2}, .batch = 100, .converged = true};
    written.chain = {.seconds = {3}, .batch = 20};
    written.axpy = {.seconds = {5, 4}, .batch = 2};
    written.speedups.push_back(
        {.baseline = "a", .against = "a:b", .median = 2, .low = 1, .high = 3, .mode = Mode::graph});
    written.runs = "sell";
    written.columns = 3;
    written.pattern_values = "ones";
    const Result read = nlohmann::json::parse(nlohmann::json(written).dump());
    EXPECT_TRUE(read == written);
}

TEST(ResultJson, WhatWasExecutedIsAnArrayOfObjects) {
    const nlohmann::json json = sample_result("a", {1});
    EXPECT_EQ(json.at("executed"), nlohmann::json::parse(R"([
                  {"representation": "tiles", "format": "coo", "tile_rows": 1, "nnz": 7, "bytes": 60},
                  {"representation": "csr", "format": "deferred", "tile_rows": 1, "nnz": 3, "bytes": 40}])"));
}

TEST(ResultJson, IntervalsThatAreUnbounded) {
    Result written = sample_result("a", {1, 2});
    constexpr double infinity = std::numeric_limits<double>::infinity();
    written.speedups = {{.baseline = "csr-omp", .against = "csr-omp", .median = 2, .low = -infinity, .high = infinity}};
    EXPECT_EQ(nlohmann::json::parse(nlohmann::json(written).dump()).get<Result>().speedups, written.speedups);
}

TEST(ResultJson, FailedAndWrongCasesHaveNoTimes) {
    Result written;
    written.status = Status::wrong;
    written.error = "row 3 is wrong";
    written.error_ratio = std::numeric_limits<double>::infinity();
    const nlohmann::json json = written;
    EXPECT_FALSE(json.contains("warm"));
    EXPECT_FALSE(json.contains("derived"));
    const Result read = json;
    EXPECT_EQ(read.status, Status::wrong);
    EXPECT_EQ(read.error, "row 3 is wrong");
    EXPECT_EQ(read.error_ratio, written.error_ratio);
}

}  // namespace
}  // namespace tilespmv::bench
