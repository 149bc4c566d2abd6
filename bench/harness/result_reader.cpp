#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "bench/harness/json_node.hpp"
#include "bench/harness/result.hpp"

namespace tilespmv::bench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// JSON has no infinity; null stands for it.
double number_or(double infinity, const JsonNode& json) { return json.is_null() ? infinity : json.number(); }

Status read_status(const JsonNode& json) {
    const auto found = std::ranges::find(kStatusNames, json.text());
    if (found == kStatusNames.end()) json.fail(fmt::format("is '{}', which is no status", json.text()));
    return static_cast<Status>(found - kStatusNames.begin());
}

CaseId read_case(const JsonNode& json) {
    return {.matrix = json["matrix"].text(),
            .operator_name = json["operator"].text(),
            .selector = json["selector"].text(),
            .values = json["values"].text(),
            .accumulator = json["accumulator"].text(),
            .device = json["device"].text(),
            .threads = json["threads"].whole<int>(),
            .vectors = json.text_or("vectors", "")};
}

Timing read_timing(const JsonNode& json) {
    return {.seconds = json["seconds"].positive_numbers(),
            .batch = json["batch"].whole<int>(),
            .converged = json["converged"].flag()};
}

Speedup read_speedup(const JsonNode& json) {
    return {.baseline = json["baseline"].text(),
            .against = json["against"].text(),
            .median = json["median"].non_negative(),
            .low = number_or(-kInfinity, json["low"]),
            .high = number_or(kInfinity, json["high"]),
            .mode = find_mode(json.text_or("mode", "warm"))};
}

FormatShare read_format(const JsonNode& json) {
    return {.name = json.text_or("name", ""),
            .tiles = json.whole_or<offset_t>("tiles", 0),
            .nnz = json.whole_or<offset_t>("nnz", 0),
            .bytes = json.whole_or<offset_t>("bytes", 0)};
}

ExecutedPart read_part(const JsonNode& json) {
    return {.representation = json["representation"].text(),
            .format = json["format"].text(),
            .tile_rows = json["tile_rows"].whole<offset_t>(),
            .nnz = json["nnz"].whole<offset_t>(),
            .bytes = json["bytes"].whole<std::uint64_t>()};
}

Bandwidth read_bandwidth(const JsonNode& json) {
    return {json["read"].non_negative(), json["copy"].non_negative(), json["triad"].non_negative()};
}

}  // namespace

Result read_result(const JsonNode& json) {
    Result r{.id = read_case(json["case"]),
             .status = read_status(json["status"]),
             .error = json["error"].text(),
             .error_ratio = number_or(kInfinity, json["error_ratio"]),
             .rows = json["rows"].whole<index_t>(),
             .cols = json["cols"].whole<index_t>(),
             .nnz = json["nnz"].whole<offset_t>(),
             .columns = json.whole_or<int>("columns", 1),
             .row_variation = json["row_variation"].non_negative(),
             .value_bytes = json["value_bytes"].whole<int>(),
             .pattern_values = json.text_or("pattern_values", ""),
             .runs = json.text_or("runs", ""),
             .stored = {.formats = json["formats"].list(read_format),
                        .bytes = json.whole_or<offset_t>("tiled_bytes", 0),
                        .published_bytes = json.whole_or<offset_t>("published_bytes", 0)},
             .executed = {},
             .matrix_bytes = json["matrix_bytes"].whole<std::uint64_t>(),
             .device_bytes = json["device_bytes"].whole<std::uint64_t>(),
             .product_bytes = json["product_bytes"].whole<std::uint64_t>(),
             .cache_bytes = json["cache_bytes"].whole<std::uint64_t>(),
             .bandwidth = read_bandwidth(json["bandwidth"]),
             .first_seconds = json["first_seconds"].non_negative(),
             .convert_seconds = json["convert_seconds"].non_negative(),
             .preprocess_products = json["preprocess_products"].non_negative(),
             .speedups = json["speedups"].list(read_speedup)};
    if (r.nnz > 0 && (r.rows == 0 || r.cols == 0)) json["nnz"].fail(fmt::format("is {} of an empty matrix", r.nnz));
    if (json.has("executed")) r.executed = json["executed"].list(read_part);
    for (const auto& [name, timing] : kTimings) {
        if (json.has(name)) r.*timing = read_timing(json[name]);
    }
    return r;
}

}  // namespace tilespmv::bench
