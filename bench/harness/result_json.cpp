#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/harness/result.hpp"

namespace tilespmv {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExecutedPart, representation, format, tile_rows, nnz, bytes)

}  // namespace tilespmv

namespace tilespmv::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Bandwidth, read, copy, triad)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FormatShare, name, tiles, nnz, bytes)
NLOHMANN_JSON_SERIALIZE_ENUM(
    Status, {{Status::failed, "failed"}, {Status::ok, "ok"}, {Status::wrong, "wrong"}, {Status::skipped, "skipped"}})

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// JSON has no infinity; null stands for it.
nlohmann::json finite_or_null(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

double null_is(double infinity, const nlohmann::json& json) { return json.is_null() ? infinity : json.get<double>(); }

nlohmann::json write_timing(const Timing& t) {
    return {{"seconds", t.seconds}, {"batch", t.batch}, {"converged", t.converged}};
}

// A stage that was not measured, or not to its end, is left out.
void read_timing(const nlohmann::json& json, const char* stage, Timing& t) {
    if (!json.contains(stage)) return;
    const nlohmann::json& timing = json.at(stage);
    timing.at("seconds").get_to(t.seconds);
    timing.at("batch").get_to(t.batch);
    timing.at("converged").get_to(t.converged);
}

using Stage = std::pair<const char*, Timing Result::*>;
constexpr std::array kStages{Stage{"warm", &Result::warm},
                             Stage{"cold", &Result::cold},
                             Stage{"graph", &Result::graph},
                             Stage{"chain", &Result::chain},
                             Stage{"axpy", &Result::axpy},
                             Stage{"axpy_alone", &Result::axpy_alone},
                             Stage{"preprocess", &Result::preprocess}};

nlohmann::json write_metrics(const Result& result) {
    const Metrics m = metrics(result);
    nlohmann::json json = {{"median_s", m.seconds},
                           {"spread", m.spread},
                           {"noise", finite_or_null(m.noise)},
                           {"cold_median_s", m.cold_seconds},
                           {"gflops", m.flops * 1e-9},
                           {"gbytes_per_s", m.bytes_per_second * 1e-9},
                           {"share_of_read_bandwidth", m.share_of_bandwidth},
                           {"fits_cache", m.in_cache},
                           {"preprocess_median_s", m.preprocess_seconds},
                           {"bytes_per_nonzero", m.bytes_per_nonzero}};
    for (const Mode mode : {Mode::graph, Mode::chain, Mode::axpy}) {
        if (const double seconds = median_seconds(result, mode); seconds > 0)
            json[fmt::format("{}_median_s", mode_name(mode))] = seconds;
    }
    if (m.axpy_seconds > 0) json["axpy_alone_median_s"] = m.axpy_seconds;
    return json;
}

}  // namespace

void to_json(nlohmann::json& json, const Speedup& s) {
    json = {{"baseline", s.baseline},       {"against", s.against},           {"median", s.median},
            {"low", finite_or_null(s.low)}, {"high", finite_or_null(s.high)}, {"mode", mode_name(s.mode)}};
}

void from_json(const nlohmann::json& json, Speedup& s) {
    json.at("baseline").get_to(s.baseline);
    json.at("against").get_to(s.against);
    json.at("median").get_to(s.median);
    s.low = null_is(-kInfinity, json.at("low"));
    s.high = null_is(kInfinity, json.at("high"));
    s.mode = find_mode(json.value("mode", "warm"));  // files of older versions have none
}

void to_json(nlohmann::json& json, const CaseId& id) {
    json = {{"matrix", id.matrix},  {"operator", id.operator_name},  {"selector", id.selector},
            {"values", id.values},  {"accumulator", id.accumulator}, {"device", id.device},
            {"threads", id.threads}};
}

void from_json(const nlohmann::json& json, CaseId& id) {
    json.at("matrix").get_to(id.matrix);
    json.at("operator").get_to(id.operator_name);
    json.at("selector").get_to(id.selector);
    json.at("values").get_to(id.values);
    json.at("accumulator").get_to(id.accumulator);
    json.at("device").get_to(id.device);
    json.at("threads").get_to(id.threads);
}

void to_json(nlohmann::json& json, const Result& r) {
    json = {{"case", r.id},
            {"status", r.status},
            {"error", r.error},
            {"error_ratio", finite_or_null(r.error_ratio)},
            {"rows", r.rows},
            {"cols", r.cols},
            {"nnz", r.nnz},
            {"row_variation", r.row_variation},
            {"value_bytes", r.value_bytes},
            {"formats", r.stored.formats},
            {"tiled_bytes", r.stored.bytes},
            {"published_bytes", r.stored.published_bytes},
            {"executed", r.executed},
            {"matrix_bytes", r.matrix_bytes},
            {"device_bytes", r.device_bytes},
            {"product_bytes", r.product_bytes},
            {"cache_bytes", r.cache_bytes},
            {"bandwidth", r.bandwidth},
            {"first_seconds", r.first_seconds},
            {"convert_seconds", r.convert_seconds},
            {"preprocess_products", r.preprocess_products},
            {"speedups", r.speedups}};
    if (!r.pattern_values.empty()) json["pattern_values"] = r.pattern_values;
    if (!r.runs.empty()) json["runs"] = r.runs;
    if (r.status == Status::ok) json["derived"] = write_metrics(r);
    for (const auto& [stage, timing] : kStages) {
        if (!(r.*timing).seconds.empty()) json[stage] = write_timing(r.*timing);
    }
}

void from_json(const nlohmann::json& json, Result& r) {
    json.at("case").get_to(r.id);
    json.at("status").get_to(r.status);
    json.at("error").get_to(r.error);
    r.error_ratio = null_is(kInfinity, json.at("error_ratio"));
    json.at("rows").get_to(r.rows);
    json.at("cols").get_to(r.cols);
    json.at("nnz").get_to(r.nnz);
    json.at("row_variation").get_to(r.row_variation);
    json.at("value_bytes").get_to(r.value_bytes);
    r.pattern_values = json.value("pattern_values", "");
    json.at("formats").get_to(r.stored.formats);
    r.stored.bytes = json.value("tiled_bytes", offset_t{0});  // files of older versions have none
    r.stored.published_bytes = json.value("published_bytes", offset_t{0});
    if (json.contains("executed")) json.at("executed").get_to(r.executed);
    r.runs = json.value("runs", "");
    json.at("matrix_bytes").get_to(r.matrix_bytes);
    json.at("device_bytes").get_to(r.device_bytes);
    json.at("product_bytes").get_to(r.product_bytes);
    json.at("cache_bytes").get_to(r.cache_bytes);
    json.at("bandwidth").get_to(r.bandwidth);
    json.at("first_seconds").get_to(r.first_seconds);
    json.at("convert_seconds").get_to(r.convert_seconds);
    json.at("preprocess_products").get_to(r.preprocess_products);
    json.at("speedups").get_to(r.speedups);
    for (const auto& [stage, timing] : kStages) read_timing(json, stage, r.*timing);
}

}  // namespace tilespmv::bench
