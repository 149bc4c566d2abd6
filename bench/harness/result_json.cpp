#include <array>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "bench/harness/result.hpp"

namespace tilespmv::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Bandwidth, read, copy, triad)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Speedup, baseline, median, low, high)
NLOHMANN_JSON_SERIALIZE_ENUM(Status, {{Status::failed, "failed"}, {Status::ok, "ok"}, {Status::wrong, "wrong"}})

namespace {

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

nlohmann::json write_metrics(const Result& result) {
    const Metrics m = metrics(result);
    return {{"median_s", m.seconds},
            {"spread", m.spread},
            {"noise", std::isfinite(m.noise) ? nlohmann::json(m.noise) : nlohmann::json()},
            {"cold_median_s", m.cold_seconds},
            {"gflops", m.flops * 1e-9},
            {"gbytes_per_s", m.bytes_per_second * 1e-9},
            {"share_of_read_bandwidth", m.share_of_bandwidth},
            {"fits_cache", m.in_cache},
            {"preprocess_median_s", m.preprocess_seconds},
            {"bytes_per_nonzero", m.bytes_per_nonzero}};
}

}  // namespace

void to_json(nlohmann::json& json, const CaseId& id) {
    json = {{"matrix", id.matrix}, {"operator", id.operator_name}, {"selector", id.selector},
            {"values", id.values}, {"device", id.device},          {"threads", id.threads}};
}

void from_json(const nlohmann::json& json, CaseId& id) {
    json.at("matrix").get_to(id.matrix);
    json.at("operator").get_to(id.operator_name);
    json.at("selector").get_to(id.selector);
    json.at("values").get_to(id.values);
    json.at("device").get_to(id.device);
    json.at("threads").get_to(id.threads);
}

void to_json(nlohmann::json& json, const Result& r) {
    json = {{"case", r.id},
            {"status", r.status},
            {"error", r.error},
            {"error_ratio", std::isfinite(r.error_ratio) ? nlohmann::json(r.error_ratio) : nlohmann::json()},
            {"rows", r.rows},
            {"cols", r.cols},
            {"nnz", r.nnz},
            {"value_bytes", r.value_bytes},
            {"matrix_bytes", r.matrix_bytes},
            {"product_bytes", r.product_bytes},
            {"cache_bytes", r.cache_bytes},
            {"bandwidth", r.bandwidth},
            {"preprocess_products", r.preprocess_products},
            {"speedups", r.speedups}};
    if (r.status == Status::ok) json["derived"] = write_metrics(r);
    for (const auto& [stage, timing] : {std::pair{"warm", &r.warm}, {"cold", &r.cold}, {"preprocess", &r.preprocess}}) {
        if (!timing->seconds.empty()) json[stage] = write_timing(*timing);
    }
}

void from_json(const nlohmann::json& json, Result& r) {
    json.at("case").get_to(r.id);
    json.at("status").get_to(r.status);
    json.at("error").get_to(r.error);
    if (!json.at("error_ratio").is_null()) json.at("error_ratio").get_to(r.error_ratio);
    json.at("rows").get_to(r.rows);
    json.at("cols").get_to(r.cols);
    json.at("nnz").get_to(r.nnz);
    json.at("value_bytes").get_to(r.value_bytes);
    json.at("matrix_bytes").get_to(r.matrix_bytes);
    json.at("product_bytes").get_to(r.product_bytes);
    json.at("cache_bytes").get_to(r.cache_bytes);
    json.at("bandwidth").get_to(r.bandwidth);
    json.at("preprocess_products").get_to(r.preprocess_products);
    json.at("speedups").get_to(r.speedups);
    read_timing(json, "warm", r.warm);
    read_timing(json, "cold", r.cold);
    read_timing(json, "preprocess", r.preprocess);
}

}  // namespace tilespmv::bench
