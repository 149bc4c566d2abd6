#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/harness/result.hpp"

namespace tilespmv {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExecutedPart, representation, format, tile_rows, nnz, bytes)

}  // namespace tilespmv

namespace tilespmv::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Bandwidth, read, copy, triad)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FormatShare, name, tiles, nnz, bytes)
namespace {

// JSON has no infinity; null stands for it.
nlohmann::json finite_or_null(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); }

nlohmann::json write_timing(const Timing& t) {
    return {{"seconds", t.seconds}, {"batch", t.batch}, {"converged", t.converged}};
}

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

void to_json(nlohmann::json& json, const CaseId& id) {
    json = {{"matrix", id.matrix},  {"operator", id.operator_name},  {"selector", id.selector},
            {"values", id.values},  {"accumulator", id.accumulator}, {"device", id.device},
            {"threads", id.threads}};
    if (!id.vectors.empty()) json["vectors"] = id.vectors;
}

void to_json(nlohmann::json& json, const Result& r) {
    json = {{"case", r.id},
            {"status", kStatusNames[static_cast<std::size_t>(r.status)]},
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
    if (r.columns != 1) json["columns"] = r.columns;
    if (r.status == Status::ok) json["derived"] = write_metrics(r);
    for (const auto& [stage, timing] : kTimings) {
        if (!(r.*timing).seconds.empty()) json[stage] = write_timing(r.*timing);
    }
}

}  // namespace tilespmv::bench
