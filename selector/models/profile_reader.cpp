#include <algorithm>
#include <iterator>
#include <optional>
#include <type_traits>

#include "selector/auto/feature_names.hpp"
#include "selector/models/anchor_text.hpp"
#include "selector/models/json_node.hpp"
#include "selector/models/json_text.hpp"
#include "selector/models/lifted_texts.hpp"
#include "selector/models/number_text.hpp"
#include "selector/models/profile_file.hpp"
#include "selector/models/profile_version.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

/// No machine comes near these; products of them and of figures of launches stay in the range of int.
struct Most {
    static constexpr int multiprocessors = 10'000;
    static constexpr int threads = 100'000;  ///< of a multiprocessor
    static constexpr int registers = 100'000'000;
    static constexpr int resident_blocks = 1000;  ///< of a multiprocessor
    static constexpr std::size_t value_bytes = 1024;
    static constexpr double bytes = 1e18;  ///< of memories, and a second
    static constexpr double seconds = 1e6;
    static constexpr double amount = 1e12;  ///< of what a feature counts for a row, a tile or a nonzero
};

double read_seconds(const JsonNode& json) {
    constexpr double least = 1e-15;
    if (json.positive() < least) json.fail(fmt::format("is {}, which is too little", json.number()));
    return json.non_negative(Most::seconds);
}

bool read_is_gpu(const JsonNode& json) {
    const std::string backend = json.text();
    if (backend != "cuda" && backend != "cpu") json.fail(fmt::format("is '{}', expected cuda or cpu", backend));
    return backend == "cuda";
}

Probe read_probe(const JsonNode& json) {
    return {.name = json["name"].text(),
            .is_gpu = read_is_gpu(json["backend"]),
            .multiprocessors = json["multiprocessors"].whole(Most::multiprocessors),
            .registers = json["registers"].whole(Most::registers),
            .shared_bytes = json["shared_bytes"].non_negative(Most::bytes),
            .threads = json["threads"].whole(Most::threads),
            .blocks = json["blocks"].whole(Most::resident_blocks),
            .cache_bytes = json["cache_bytes"].non_negative(Most::bytes),
            .memory_bytes = json["memory_bytes"].non_negative(Most::bytes),
            .read_rate = json["read_rate"].non_negative(Most::bytes),
            .copy_rate = json["copy_rate"].non_negative(Most::bytes),
            .triad_rate = json["triad_rate"].non_negative(Most::bytes),
            .cache_rate = json["cache_rate"].non_negative(Most::bytes),
            .loop_launch_seconds = json["loop_launch_s"].non_negative(Most::seconds),
            .graph_launch_seconds = json["graph_launch_s"].non_negative(Most::seconds)};
}

ProfileBuild read_build(const JsonNode& json) {
    return {json["version"].text(), json["revision"].text(), json["driver"].whole<int>(), json["runtime"].whole<int>()};
}

void read_rounds(const JsonNode& json, RowLengths& rounds) {
    const auto all = json.elements(rounds.size());
    for (std::size_t i = 0; i < rounds.size(); ++i) {
        const auto of = all[i].elements(4);
        rounds[i] = {of[0].whole<int>(), of[1].whole<offset_t>(), of[2].whole<offset_t>(), of[3].whole<offset_t>()};
    }
}

void require_sizes(const JsonNode& json, const NumberSizes& sizes) {
    if (sizes.value == 0) json["value_bytes"].fail("is 0");
    if (sizes.sum == 0) json["sum_bytes"].fail("is 0");
}

MatrixFeatures read_features(const JsonNode& json) {
    MatrixFeatures f{.value_bytes = json["value_bytes"].whole(Most::value_bytes),
                     .sum_bytes = json["sum_bytes"].whole(Most::value_bytes)};
    require_sizes(json, f.sizes());
    for_each_feature(f, [&]<class T>(const char* name, T& feature) {
        if constexpr (std::is_floating_point_v<T>)
            feature = json[name].non_negative(Most::amount);
        else
            feature = json[name].whole<T>();
    });
    read_rounds(json["row_rounds"], f.row_rounds);
    return f;
}

Regime read_regime(const JsonNode& json) {
    const auto found = std::ranges::find(kRegimeNames, json.text());
    if (found == kRegimeNames.end()) json.fail(fmt::format("is '{}', expected resident or streamed", json.text()));
    return static_cast<Regime>(found - kRegimeNames.begin());
}

ProductTime read_product(const JsonNode& json) {
    ProductTime product{.specification = json["operator"].text(), .error = {}};
    if (json.has("error")) {
        product.error = json["error"].text();
        return product;
    }
    product.seconds = read_seconds(json["seconds"]);
    product.preparation_seconds = json["preparation_s"].non_negative(Most::seconds);
    product.regime = read_regime(json["regime"]);
    product.predicted = json["predicted_s"].non_negative();
    product.held_out = json["held_out_s"].non_negative();
    return product;
}

MeasuredMatrix read_matrix(const JsonNode& json) {
    return {json["name"].text(), json["values"].text(), read_features(json["features"]),
            json["products"].list(read_product)};
}

/// By the names of terms, so that a build with further ones reads it.
std::vector<double> read_costs(const JsonNode& json) {
    std::vector<double> costs;
    for (const ModelTerm& term : model_terms()) {
        const std::string name(term.name);
        costs.push_back(json.has(name.c_str()) ? json[name.c_str()].non_negative() : 0);
    }
    return costs;
}

void read_preparation(const JsonNode& json, std::array<double, 4>& preparation) {
    const auto amounts = json.elements(preparation.size());
    for (std::size_t i = 0; i < amounts.size(); ++i) preparation[i] = amounts[i].non_negative();
}

SpmvModel read_model(const JsonNode& json) {
    SpmvModel model{.specification = json["operator"].text(),
                    .sizes = {json["value_bytes"].whole(Most::value_bytes), json["sum_bytes"].whole(Most::value_bytes)},
                    .costs = read_costs(json["costs"]),
                    .anchors = {},
                    .matrices = json["matrices"].whole<int>(),
                    .accuracy = json["accuracy"].number(),
                    .held_out_accuracy = json["held_out_accuracy"].number(),
                    .doubt = json["doubt"].non_negative()};
    require_sizes(json, model.sizes);
    read_preparation(json["preparation"], model.preparation);
    return model;
}

/// Anchors are nearly all of a profile, and read in parallel.
std::vector<SpmvModel> read_models(const JsonNode& json, const LiftedTexts& texts) {
    auto models = json.list(read_model);
    const auto nodes = json.list([](const JsonNode& one) { return one["anchors"]; });
    parallel_for(0, std::ssize(models), 1, [&](std::int64_t i) {
        const JsonNode& node = nodes[static_cast<std::size_t>(i)];
        const auto text = texts.find(node.raw_text());
        auto anchors = text ? parse_anchors(*text) : std::nullopt;
        if (!anchors) node.fail("is no list of weights and places");
        models[static_cast<std::size_t>(i)].anchors = *std::move(anchors);
    });
    return models;
}

/// So many for each of `matrices`.
std::vector<float> read_numbers(const JsonNode& json, std::size_t matrices, std::size_t each) {
    auto numbers = parse_numbers(json.raw_text());
    if (!numbers) json.fail("is no list of numbers");
    if (numbers->size() % each != 0 || numbers->size() / each != matrices)
        json.fail(fmt::format("has {} numbers, expected {} for each of {} matrices", numbers->size(), each, matrices));
    return *std::move(numbers);
}

SmallModel read_small_model(const JsonNode& json) {
    SmallModel model{
        .sizes = {json["value_bytes"].whole(Most::value_bytes), json["sum_bytes"].whole(Most::value_bytes)},
        .matrices = json["matrices"].whole<std::size_t>()};
    require_sizes(json, model.sizes);
    model.places = read_numbers(json["places"], model.matrices, SmallModel::kCoordinates);
    for (const JsonNode& node : json["operators"].elements()) {
        auto& one = model.operators.emplace_back(SmallModel::Times::of(node["operator"].text(), node["mean"].number()));
        read_preparation(node["preparation"], one.preparation);
        const auto weights = read_numbers(node["weights"], model.matrices, 1);
        model.weights.insert(model.weights.end(), weights.begin(), weights.end());
    }
    return model;
}

ChoiceQuality read_quality(const JsonNode& json) {
    return {json["choices"].whole<int>(), json["near_best"].non_negative(), json["mean_loss"].non_negative(),
            json["average_loss"].non_negative(), json["worst_loss"].non_negative()};
}

ProfileCheck read_check(const JsonNode& json) {
    ProfileCheck check{.values = json["values"].text(),
                       .matrices = json["matrices"].whole<int>(),
                       .accuracy = json["accuracy"].number(),
                       .naive_accuracy = json["naive_accuracy"].number(),
                       .models = read_quality(json["models"]),
                       .rules = read_quality(json["rules"])};
    if (!json.has("value_bytes")) return check;
    check.sizes = {json["value_bytes"].whole(Most::value_bytes), json["sum_bytes"].whole(Most::value_bytes)};
    require_sizes(json, check.sizes);
    return check;
}

/// Terms that a model costs and this build cannot compute.
void require_known_terms(const JsonNode& json) {
    for (const JsonNode& term : json.elements()) {
        const std::string name = term["name"].text();
        if (std::ranges::find(model_terms(), name, &ModelTerm::name) == model_terms().end())
            term.fail(fmt::format("this version has no term '{}'; run tilespmv tune again", name));
    }
}

void require_profile(const JsonNode& json) {
    if (!json.has("format") || json["format"].text() != kProfileFormat) json.fail("is no profile of tilespmv tune");
    const int version = json["version"].whole<int>();
    if (version != kProfileVersion)
        json.fail(fmt::format("is a profile of version {}, expected {}: run tilespmv tune --restart", version,
                              kProfileVersion));
}

}  // namespace

Profile parse_profile(std::string_view text, const std::string& name) {
    const LiftedTexts lifted = lift_texts(text, "anchors");
    const auto json = parse_json<nlohmann::json>(lifted.rest);
    const JsonNode root(json, name);
    if (json.is_discarded()) root.fail("is no JSON, or was cut off: delete it, or name another with --profile");
    require_profile(root);
    require_known_terms(root["terms"]);
    return {.probe = read_probe(root["probe"]),
            .build = read_build(root["build"]),
            .date = root["date"].text(),
            .set = root["set"].text(),
            .matrices = root["matrices"].list(read_matrix),
            .models = read_models(root["models"], lifted),
            .small_models = root.has("small") ? root["small"].list(read_small_model) : std::vector<SmallModel>{},
            .checks = root["checks"].list(read_check)};
}

}  // namespace tilespmv
