#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "selector/models/modelled_operators.hpp"
#include "selector/models/profile_file.hpp"
#include "tools/report/report.hpp"
#include "tools/report/solver_data.hpp"
#include "tools/view/page_template.hpp"

namespace tilespmv::tools {
namespace {

using Json = nlohmann::ordered_json;

/// The operators in the order in which they are taken.
Json names_of(std::vector<RankedOperator> ranked) {
    std::ranges::stable_sort(ranked, {}, [](const auto& one) { return one.total_seconds(0); });
    Json names = Json::array();
    for (const auto& one : ranked) names.push_back(one.specification);
    return names;
}

/// The same operators with the times of models that have not seen the matrix; those without one are left out.
std::vector<RankedOperator> held_out(const std::vector<RankedOperator>& ranked, const MeasuredMatrix& matrix) {
    std::vector<RankedOperator> all;
    for (RankedOperator one : ranked) {
        const auto found = std::ranges::find(matrix.products, one.specification, &ProductTime::specification);
        if (found == matrix.products.end() || found->held_out <= 0) continue;
        one.seconds = found->held_out;
        all.push_back(std::move(one));
    }
    return all;
}

void add_choices(const Profile& profile, const MeasuredMatrix& matrix, Json& json) {
    const auto question = question_on(profile.probe, matrix.features);
    const auto ranked = rank_operators(question, profile);
    json["by_models"] = names_of(ranked);
    json["by_held_out"] = names_of(held_out(ranked, matrix));
    json["by_rules"] = names_of(rank_operators(question));
}

void add_product(const Profile& profile, const MeasuredMatrix& matrix, const ProductTime& product, Json& json) {
    const auto one = modelled_operator(profile.probe.is_gpu, product.specification);
    if (one.is_baseline) json["baseline"] = true;
    if (!product.error.empty()) return;
    json["naive_s"] = naive_seconds(product_work(one.candidate, matrix.features, profile.probe));
}

/// Types of values and, where they are not the usual ones, of sums.
std::string numbers_name(const MeasuredMatrix& matrix) {
    const NumberSizes sizes = matrix.features.sizes();
    if (sizes.sum == default_sum_bytes(sizes.value)) return matrix.values;
    return fmt::format("{}, sums of {} bytes", matrix.values, sizes.sum);
}

void add_matrix(const Profile& profile, const MeasuredMatrix& matrix, Json& json) {
    json["features"].erase("row_rounds");
    json["values"] = numbers_name(matrix);
    for (std::size_t i = 0; i < matrix.products.size(); ++i) {
        add_product(profile, matrix, matrix.products[i], json["products"][i]);
    }
    add_choices(profile, matrix, json);
}

}  // namespace

std::string report_data(const Profile& profile) {
    Json json = Json::parse(profile_text(profile));
    for (std::size_t i = 0; i < profile.matrices.size(); ++i) {
        add_matrix(profile, profile.matrices[i], json["matrices"][i]);
    }
    for (std::size_t i = 0; i < profile.models.size(); ++i) {
        Json& model = json["models"][i];
        model["anchor_count"] = profile.models[i].anchors.size();
        model.erase("anchors");
    }
    json.erase("small");  // nothing on the page shows it
    json["solver"] = solver_data(profile);
    return inert(json.dump());
}

}  // namespace tilespmv::tools
