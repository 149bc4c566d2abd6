#include "selector/models/small_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "selector/models/folds.hpp"
#include "selector/models/similarity.hpp"
#include "selector/models/similarity_vectors.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

using SmallPlace = std::array<float, SmallModel::kCoordinates>;

/// So scaled that 1 is a clear difference: scales of about the least loss of choices, each fifth of 324 matrices by the
/// others (`bench/NOTES.md`, "Small matrices").
SmallPlace place_of(const MatrixFeatures& f) {
    constexpr double kNearCache = 192 << 10;  // bytes of x that a multiprocessor keeps
    const auto log2_of = [](double amount) { return std::log2(1 + std::max(amount, 0.0)); };
    const double x_bytes = static_cast<double>(f.value_bytes) * static_cast<double>(f.cols);
    const double deviation = f.row_deviation / std::max(f.mean_row, 1e-3);
    const std::array coordinates{
        0.045 * log2_of(f.rows),    0.023 * log2_of(f.cols),
        0.12 * log2_of(f.mean_row), 0.08 * log2_of(static_cast<double>(f.longest_row)),
        0.3 * f.empty_rows,         0.24 * std::min(deviation, 4.0),
        0.22 * f.x_sectors,         0.065 * std::clamp(std::log2(std::max(x_bytes, 1.0) / kNearCache), -2.0, 2.0)};
    SmallPlace place;
    constexpr double kUnits = 1e4;  // to which they are rounded, so that profiles are short
    std::ranges::transform(coordinates, place.begin(),
                           [](double one) { return static_cast<float>(std::round(one * kUnits) / kUnits); });
    return place;
}

bool is_at_most(offset_t size, index_t rows, index_t cols, offset_t nnz) {
    return rows <= size && cols <= size && nnz > 0 && nnz <= size;
}

const SmallModel* nearest(std::span<const SmallModel> models, const NumberSizes& sizes) {
    if (models.empty()) return nullptr;
    return &*std::ranges::min_element(models, {}, [&](const SmallModel& one) { return distance(one.sizes, sizes); });
}

/// Similarities of a place to those of a model.
std::vector<double> similarities_to(const SmallModel& model, const SmallPlace& from) {
    std::vector<double> similar(model.matrices);
    squared_distances(model.places, from, similar);
    similarities(similar, similar);
    return similar;
}

/// An operator on a matrix to which a model is fitted.
struct SmallPoint {
    std::size_t matrix = 0;  ///< in the list of those of the model
    double log_seconds = 0;
    ProductTime* product = nullptr;
};

/// What a model is fitted to.
struct Measured {
    std::vector<SmallPlace> places;  ///< of matrices
    std::vector<std::size_t> folds;
    std::vector<bool> are_small;
    std::map<std::string, std::vector<SmallPoint>> points;  ///< by specification
};

/// Whether times of an operator on a matrix say something of such as it may be chosen for, by small features.
bool is_candidate(std::string_view specification, const MatrixFeatures& f) {
    const auto one = modelled_operator(true, specification);
    if (one.further == FurtherFeatures::all || one.is_made_from_tiles) return false;
    if (!one.options.empty() && specification_of(one) != specification) return false;
    return can_be_made(one, f, one.matrix_bytes(f) + vector_bytes(f));
}

std::map<std::pair<std::size_t, std::size_t>, Measured> group(std::vector<MeasuredMatrix>& matrices) {
    std::map<std::pair<std::size_t, std::size_t>, Measured> groups;
    Folds folds;
    for (MeasuredMatrix& matrix : matrices) {
        const MatrixFeatures& f = matrix.features;
        const std::size_t fold = folds.of(matrix.name);
        if (!is_at_most(2 * kMostSmall, f.rows, f.cols, f.nnz)) continue;
        Measured& group = groups[{f.value_bytes, f.sum_bytes}];
        for (ProductTime& product : matrix.products) {
            if (!product.error.empty() || product.seconds <= 0 || !is_candidate(product.specification, f)) continue;
            group.points[product.specification].push_back({group.places.size(), std::log(product.seconds), &product});
        }
        group.places.push_back(place_of(f));
        group.folds.push_back(fold);
        group.are_small.push_back(is_at_most(kMostSmall, f.rows, f.cols, f.nnz));
    }
    return groups;
}

/// A model of places alone.
SmallModel model_at(const std::vector<SmallPlace>& places) {
    SmallModel model{.matrices = places.size()};
    for (std::size_t k = 0; k < SmallModel::kCoordinates; ++k) {
        for (const SmallPlace& place : places) model.places.push_back(place[k]);
    }
    return model;
}

/// The mean of some points, and the weights by which similarities say what others differ from it.
struct Kriging {
    double mean = 0;
    std::vector<double> weights = {};  ///< of the points
};
Kriging fit_points(const std::vector<SmallPoint>& points, const std::vector<std::vector<double>>& similar) {
    Kriging fitted;
    for (const SmallPoint& point : points) fitted.mean += point.log_seconds / static_cast<double>(points.size());
    std::vector<std::vector<double>> covariance;
    std::vector<double> errors;
    for (const SmallPoint& a : points) {
        auto& row = covariance.emplace_back();
        for (const SmallPoint& b : points) row.push_back(similar[a.matrix][b.matrix]);
        errors.push_back(a.log_seconds - fitted.mean);
    }
    fitted.weights = kriging_weights(covariance, errors);
    fitted.weights.resize(points.size());  // all 0 if there are none
    return fitted;
}

double predict(const Kriging& fitted, const std::vector<SmallPoint>& points, const std::vector<double>& similar) {
    double log_seconds = fitted.mean;
    for (std::size_t i = 0; i < points.size(); ++i) log_seconds += fitted.weights[i] * similar[points[i].matrix];
    return std::exp(log_seconds);
}

/// Predicts small matrices of each fifth by the others.
void hold_out(const Measured& measured, const std::vector<SmallPoint>& points,
              const std::vector<std::vector<double>>& similar) {
    for (std::size_t fold = 0; fold < Folds::kCount; ++fold) {
        std::vector<SmallPoint> others;
        std::ranges::copy_if(points, std::back_inserter(others),
                             [&](const SmallPoint& point) { return measured.folds[point.matrix] != fold; });
        const Kriging fitted = others.empty() ? Kriging{} : fit_points(others, similar);
        for (const SmallPoint& point : points) {
            if (measured.folds[point.matrix] != fold || !measured.are_small[point.matrix]) continue;
            point.product->held_out = others.empty() ? 0 : predict(fitted, others, similar[point.matrix]);
        }
    }
}

SmallModel fit(const NumberSizes& sizes, const Measured& measured, std::span<const SpmvModel> models) {
    SmallModel model = model_at(measured.places);
    model.sizes = sizes;
    std::vector<std::vector<double>> similar;
    for (const SmallPlace& place : measured.places) similar.push_back(similarities_to(model, place));
    model.operators.resize(measured.points.size());
    model.weights.resize(model.operators.size() * model.matrices);
    parallel_for(0, std::ssize(model.operators), 1, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        const auto& [specification, points] = *std::next(measured.points.begin(), i);
        const Kriging fitted = fit_points(points, similar);
        model.operators[at] = SmallModel::Times::of(specification, fitted.mean);
        if (const SpmvModel* const one = find_model(models, specification, sizes))
            model.operators[at].preparation = one->preparation;
        for (std::size_t k = 0; k < points.size(); ++k) {
            model.weights[at * model.matrices + points[k].matrix] = static_cast<float>(fitted.weights[k]);
            if (!measured.are_small[points[k].matrix]) continue;
            points[k].product->predicted = predict(fitted, points, similar[points[k].matrix]);
        }
        hold_out(measured, points, similar);
    });
    return model;
}

/// Without tiles, of which there are none.
double preparation(const SmallModel::Times& one, const MatrixFeatures& f) {
    return one.preparation[0] + one.preparation[1] * static_cast<double>(f.nnz) + one.preparation[2] * f.rows;
}

}  // namespace

SmallModel::Times SmallModel::Times::of(const std::string& specification, double mean) {
    Times one{.specification = specification, .mean = mean, .known = modelled_operator(true, specification)};
    one.known.name = one.known.options = {};  // of an unknown one these are parts of the text
    return one;
}

std::vector<SmallModel> fit_small_models(std::vector<MeasuredMatrix>& matrices, std::span<const SpmvModel> models) {
    std::vector<SmallModel> all;
    for (const auto& [bytes, measured] : group(matrices)) {
        if (measured.places.size() >= kLeastSmall) all.push_back(fit({bytes.first, bytes.second}, measured, models));
    }
    return all;
}

const SmallModel* find_small_model(std::span<const SmallModel> models, const PatternView& a) {
    if (!is_at_most(kMostSmall, a.rows, a.cols, a.nnz())) return nullptr;
    return nearest(models, a.sizes());
}
const SmallModel* find_small_model(std::span<const SmallModel> models, const MatrixFeatures& f) {
    if (!is_at_most(kMostSmall, f.rows, f.cols, f.nnz)) return nullptr;
    return nearest(models, f.sizes());
}

std::vector<double> predict(const SmallModel& model, const MatrixFeatures& features) {
    const auto similar = similarities_to(model, place_of(features));
    std::vector<double> seconds;
    for (std::size_t i = 0; i < model.operators.size(); ++i) {
        const std::span weights(model.weights.data() + i * model.matrices, model.matrices);
        seconds.push_back(std::exp(model.operators[i].mean + weighted_sum(weights, similar)));
    }
    return seconds;
}

std::vector<RankedOperator> rank_operators(const OperatorQuestion& question, const SmallModel& model) {
    const MatrixFeatures& f = question.features;
    const auto seconds = predict(model, f);
    std::vector<RankedOperator> ranked;
    for (std::size_t i = 0; i < seconds.size(); ++i) {
        const SmallModel::Times& one = model.operators[i];
        const double bytes = one.known.matrix_bytes(f);
        if (!can_be_made(one.known, f, bytes + vector_bytes(f))) continue;
        ranked.push_back({.specification = one.specification,
                          .seconds = seconds[i],
                          .preparation_seconds = preparation(one, f),
                          .matrix_bytes = bytes,
                          .work = work_of(one.known, f)});
    }
    std::ranges::stable_sort(ranked, {}, [&](const auto& one) { return one.total_seconds(question.products); });
    return ranked;
}

std::string choose_operator(const PatternView& a, offset_t products, const SmallModel& model,
                            const std::function<bool(const std::string&)>& is_here) {
    MatrixFeatures f = small_features_of(a);
    auto seconds = predict(model, f);
    for (std::size_t i = 0; i < seconds.size() && products > 0; ++i)
        seconds[i] = preparation(model.operators[i], f) + static_cast<double>(products) * seconds[i];
    while (!seconds.empty()) {
        const auto first = std::ranges::min_element(seconds);
        if (std::isinf(*first)) break;
        const SmallModel::Times& one = model.operators[static_cast<std::size_t>(first - seconds.begin())];
        add_further_features(a, one.known.further, f);
        const double bytes = one.known.matrix_bytes(f) + vector_bytes(f);
        if (can_be_made(one.known, f, bytes) && is_here(one.specification)) return one.specification;
        *first = std::numeric_limits<double>::infinity();
    }
    return {};
}

}  // namespace tilespmv
