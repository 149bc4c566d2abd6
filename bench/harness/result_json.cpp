#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/harness/result.hpp"
#include "tile/error.hpp"

namespace tilespmv {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExecutedPart, representation, format, tile_rows, nnz, bytes)

}  // namespace tilespmv

namespace tilespmv::bench {

using nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Bandwidth, read, copy)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FormatShare, name, tiles, nnz, bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Timing, seconds, batch, converged)
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// JSON has no infinity; null stands for it.
json finite_or_null(double value) { return std::isfinite(value) ? json(value) : json(); }
double number_or(double infinity, const json& value) { return value.is_null() ? infinity : value.get<double>(); }

json write_metrics(const Result& result) {
    const Metrics m = metrics(result);
    json derived = {{"median_s", m.seconds},
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
            derived[fmt::format("{}_median_s", mode_name(mode))] = seconds;
    }
    return derived;
}

/// Calls f(name, member) for what is written as it is, of an id or a result that is read or written.
template <class Id, class F>
void for_each_id_field(Id& id, F&& f) {
    f("matrix", id.matrix);
    f("operator", id.operator_name);
    f("selector", id.selector);
    f("values", id.values);
    f("accumulator", id.accumulator);
    f("device", id.device);
    f("threads", id.threads);
}
template <class R, class F>
void for_each_field(R& r, F&& f) {
    f("case", r.id);
    f("error", r.error);
    f("rows", r.rows);
    f("cols", r.cols);
    f("nnz", r.nnz);
    f("row_variation", r.row_variation);
    f("value_bytes", r.value_bytes);
    f("formats", r.stored.formats);
    f("tiled_bytes", r.stored.bytes);
    f("published_bytes", r.stored.published_bytes);
    f("executed", r.executed);
    f("matrix_bytes", r.matrix_bytes);
    f("device_bytes", r.device_bytes);
    f("product_bytes", r.product_bytes);
    f("cache_bytes", r.cache_bytes);
    f("bandwidth", r.bandwidth);
    f("first_seconds", r.first_seconds);
    f("convert_seconds", r.convert_seconds);
    f("preprocess_products", r.preprocess_products);
    f("speedups", r.speedups);
}

auto writing_to(json& object) {
    return [&object](const char* name, const auto& member) { object[name] = member; };
}
auto reading_from(const json& object) {
    return [&object](const char* name, auto& member) { object.at(name).get_to(member); };
}

}  // namespace

void to_json(json& object, const Speedup& s) {
    object = {{"baseline", s.baseline},       {"against", s.against},           {"median", s.median},
              {"low", finite_or_null(s.low)}, {"high", finite_or_null(s.high)}, {"mode", mode_name(s.mode)}};
}
void from_json(const json& object, Speedup& s) {
    object.at("baseline").get_to(s.baseline);
    object.at("against").get_to(s.against);
    object.at("median").get_to(s.median);
    s.low = number_or(-kInfinity, object.at("low"));
    s.high = number_or(kInfinity, object.at("high"));
    s.mode = find_mode(object.at("mode").get<std::string>());
}

void to_json(json& object, const CaseId& id) {
    for_each_id_field(id, writing_to(object));
    if (!id.vectors.empty()) object["vectors"] = id.vectors;
}
void from_json(const json& object, CaseId& id) {
    for_each_id_field(id, reading_from(object));
    id.vectors = object.value("vectors", "");
}

void to_json(json& object, const Result& r) {
    for_each_field(r, writing_to(object));
    object["status"] = kStatusNames[static_cast<std::size_t>(r.status)];
    object["error_ratio"] = finite_or_null(r.error_ratio);
    if (!r.pattern_values.empty()) object["pattern_values"] = r.pattern_values;
    if (!r.runs.empty()) object["runs"] = r.runs;
    if (r.columns != 1) object["columns"] = r.columns;
    if (r.status == Status::ok) object["derived"] = write_metrics(r);
    for (const auto& [stage, timing] : kTimings) {
        if (!(r.*timing).seconds.empty()) object[stage] = r.*timing;
    }
}

void from_json(const json& object, Result& r) {
    for_each_field(r, reading_from(object));
    const auto name = object.at("status").get<std::string>();
    const auto found = std::ranges::find(kStatusNames, name);
    if (found == kStatusNames.end()) throw Error(fmt::format("'{}' is no status", name));
    r.status = static_cast<Status>(found - kStatusNames.begin());
    r.error_ratio = number_or(kInfinity, object.at("error_ratio"));
    r.pattern_values = object.value("pattern_values", "");
    r.runs = object.value("runs", "");
    r.columns = object.value("columns", 1);
    for (const auto& [stage, timing] : kTimings) {
        if (object.contains(stage)) object.at(stage).get_to(r.*timing);
    }
}

}  // namespace tilespmv::bench
