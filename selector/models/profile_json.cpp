#include <nlohmann/json.hpp>

#include "selector/auto/feature_names.hpp"
#include "selector/models/anchor_text.hpp"
#include "selector/models/number_text.hpp"
#include "selector/models/profile_file.hpp"
#include "selector/models/profile_version.hpp"

namespace tilespmv {
namespace {

using Json = nlohmann::ordered_json;

template <class T, class F>
Json list_json(const std::vector<T>& all, F&& json_of) {
    Json list = Json::array();
    for (const T& one : all) list.push_back(json_of(one));
    return list;
}

Json probe_json(const Probe& p) {
    return {{"name", p.name},
            {"backend", p.is_gpu ? "cuda" : "cpu"},
            {"multiprocessors", p.multiprocessors},
            {"registers", p.registers},
            {"shared_bytes", p.shared_bytes},
            {"threads", p.threads},
            {"blocks", p.blocks},
            {"cache_bytes", p.cache_bytes},
            {"memory_bytes", p.memory_bytes},
            {"read_rate", p.read_rate},
            {"copy_rate", p.copy_rate},
            {"triad_rate", p.triad_rate},
            {"cache_rate", p.cache_rate},
            {"loop_launch_s", p.loop_launch_seconds},
            {"graph_launch_s", p.graph_launch_seconds}};
}

Json build_json(const ProfileBuild& b) {
    return {{"version", b.version}, {"revision", b.revision}, {"driver", b.driver}, {"runtime", b.runtime}};
}

Json features_json(const MatrixFeatures& f) {
    Json json{{"value_bytes", f.value_bytes}, {"sum_bytes", f.sum_bytes}};
    for_each_feature(f, [&](const char* name, const auto& feature) { json[name] = feature; });
    Json& rounds = json["row_rounds"] = Json::array();
    for (const auto& r : f.row_rounds) rounds.push_back({r.nonzeros, r.all, r.longest, r.lanes});
    return json;
}

Json product_json(const ProductTime& p) {
    if (!p.error.empty()) return {{"operator", p.specification}, {"error", p.error}};
    return {{"operator", p.specification},
            {"seconds", p.seconds},
            {"preparation_s", p.preparation_seconds},
            {"regime", kRegimeNames[static_cast<std::size_t>(p.regime)]},
            {"predicted_s", p.predicted},
            {"held_out_s", p.held_out}};
}

Json matrix_json(const MeasuredMatrix& m) {
    return {{"name", m.name},
            {"values", m.values},
            {"features", features_json(m.features)},
            {"products", list_json(m.products, product_json)}};
}

Json model_json(const SpmvModel& m) {
    Json costs = Json::object();
    for (std::size_t i = 0; i < m.costs.size(); ++i) costs[std::string(model_terms()[i].name)] = m.costs[i];
    return {{"operator", m.specification},
            {"value_bytes", m.sizes.value},
            {"sum_bytes", m.sizes.sum},
            {"costs", costs},
            {"anchors", anchors_text(m.anchors)},
            {"preparation", m.preparation},
            {"matrices", m.matrices},
            {"accuracy", m.accuracy},
            {"held_out_accuracy", m.held_out_accuracy},
            {"doubt", m.doubt}};
}

Json small_model_json(const SmallModel& m) {
    Json operators = Json::array();
    for (std::size_t i = 0; i < m.operators.size(); ++i) {
        const SmallModel::Times& one = m.operators[i];
        operators.push_back({{"operator", one.specification},
                             {"mean", one.mean},
                             {"preparation", one.preparation},
                             {"weights", numbers_text({m.weights.data() + i * m.matrices, m.matrices})}});
    }
    return {{"value_bytes", m.sizes.value},
            {"sum_bytes", m.sizes.sum},
            {"matrices", m.matrices},
            {"places", numbers_text(m.places)},
            {"operators", operators}};
}

Json quality_json(const ChoiceQuality& q) {
    return {{"choices", q.choices},
            {"near_best", q.near_best},
            {"mean_loss", q.mean_loss},
            {"average_loss", q.average_loss},
            {"worst_loss", q.worst_loss}};
}

Json check_json(const ProfileCheck& c) {
    return {{"values", c.values},
            {"value_bytes", c.sizes.value},
            {"sum_bytes", c.sizes.sum},
            {"matrices", c.matrices},
            {"accuracy", c.accuracy},
            {"naive_accuracy", c.naive_accuracy},
            {"models", quality_json(c.models)},
            {"rules", quality_json(c.rules)}};
}

constexpr std::size_t kLine = 140;  ///< characters of what stands on one line

/// Appends a value without blanks; false as soon as the line is too long, so that large values cost no more than small
/// ones.
bool fit(const Json& json, std::string& line) {
    if (!json.is_structured()) {
        line += json.dump();
        return line.size() <= kLine;
    }
    line += json.is_object() ? '{' : '[';
    const char* separator = "";
    for (const auto& [key, value] : json.items()) {
        line += separator;
        if (json.is_object()) line.append(Json(key).dump()).append(1, ':');
        if (!fit(value, line)) return false;
        separator = ",";
    }
    line += json.is_object() ? '}' : ']';
    return line.size() <= kLine;
}

/// Indented, but what fits a line stands on one.
void write(const Json& json, std::size_t depth, std::string& text) {
    constexpr std::size_t kMostParts = 40;
    std::string line;
    if (!json.is_structured() || (json.size() <= kMostParts && fit(json, line))) {
        text += json.is_structured() ? line : json.dump();
        return;
    }
    const std::string indent(depth + 1, ' ');
    text += json.is_object() ? '{' : '[';
    const char* separator = "\n";
    for (const auto& [key, value] : json.items()) {
        text.append(separator).append(indent);
        if (json.is_object()) text.append(Json(key).dump()).append(": ");
        write(value, depth + 1, text);
        separator = ",\n";
    }
    text.append(1, '\n').append(depth, ' ').append(json.is_object() ? "}" : "]");
}

}  // namespace

std::string profile_text(const Profile& profile) {
    Json terms = Json::array();
    for (const ModelTerm& term : model_terms()) terms.push_back({{"name", term.name}, {"meaning", term.meaning}});
    const Json json{{"format", kProfileFormat},
                    {"version", kProfileVersion},
                    {"date", profile.date},
                    {"set", profile.set},
                    {"build", build_json(profile.build)},
                    {"probe", probe_json(profile.probe)},
                    {"matrices", list_json(profile.matrices, matrix_json)},
                    {"terms", terms},
                    {"models", list_json(profile.models, model_json)},
                    {"small", list_json(profile.small_models, small_model_json)},
                    {"checks", list_json(profile.checks, check_json)}};
    std::string text;
    write(json, 0, text);
    return text + "\n";
}

}  // namespace tilespmv
