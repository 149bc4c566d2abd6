#include "selector/models/spmv_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "selector/models/accuracy.hpp"
#include "selector/models/folds.hpp"
#include "selector/models/least_squares.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr std::size_t kLeastPoints = 3;

/// A point of a fit, and where what is predicted of it goes.
struct Point {
    ProductWork product_work;
    WorkTime work;
    WorkTime preparation;
    ProductTime* product = nullptr;
    std::size_t fold = 0;
};
using Points = std::vector<Point>;
using GroupKey = std::tuple<std::string, std::size_t, std::size_t>;  ///< specification, bytes of values and of sums

std::vector<double> preparation_amounts(const MatrixFeatures& f) {
    const auto nnz = static_cast<double>(f.nnz);
    return {1, nnz, static_cast<double>(f.rows), f.tile_nonzeros > 0 ? nnz / f.tile_nonzeros : 0};
}

std::map<GroupKey, Points> group(std::vector<MeasuredMatrix>& matrices, const Probe& probe) {
    std::map<GroupKey, Points> groups;
    Folds folds;
    for (MeasuredMatrix& matrix : matrices) {
        const MatrixFeatures& f = matrix.features;
        const std::size_t fold = folds.of(matrix.name);
        for (ProductTime& product : matrix.products) {
            product.predicted = product.held_out = 0;
            if (!product.error.empty() || product.seconds <= 0) continue;
            const auto entry = modelled_operator(probe.is_gpu, product.specification);
            const ProductWork work = product_work(entry, f, probe);
            product.regime = regime_of(work);
            groups[{product.specification, f.value_bytes, f.sum_bytes}].push_back(
                {work,
                 {amounts_of(work), product.seconds},
                 {preparation_amounts(f), std::max(product.preparation_seconds, 1e-9)},
                 &product,
                 fold});
        }
    }
    return groups;
}

template <class Chosen>
std::vector<WorkTime> works_of(const Points& points, WorkTime Point::*which, Chosen&& is_chosen) {
    std::vector<WorkTime> works;
    for (const Point& point : points) {
        if (is_chosen(point)) works.push_back(point.*which);
    }
    return works;
}

/// The sum of costs, and anchors of what it leaves.
struct Fitted {
    std::vector<double> costs;
    Anchors anchors;
};

template <class Chosen>
Fitted fit_product(const Points& points, Chosen&& is_chosen) {
    Fitted fitted{fit_costs(works_of(points, &Point::work, is_chosen)), {}};
    std::vector<Place> places;
    std::vector<double> errors;
    for (const Point& point : points) {
        const double sum = is_chosen(point) ? seconds_of(point.work.amounts, fitted.costs) : 0;
        if (sum <= 0) continue;
        const double error = std::log(point.work.seconds / sum);
        const Place place = place_of(point.product_work, fitted.costs);
        if (!std::isfinite(error) || !std::ranges::all_of(place, [](double one) { return std::isfinite(one); }))
            continue;
        places.push_back(place);
        errors.push_back(error);
    }
    fitted.anchors = fit_correction(places, errors);
    return fitted;
}

double predict(const ProductWork& work, std::span<const double> costs, const Anchors& anchors) {
    return seconds_of(amounts_of(work), costs) * std::exp(correction_at(place_of(work, costs), anchors));
}

/// 0 where it is beyond all numbers, as of a spoilt profile.
double predict(const Fitted& fitted, const Point& point) {
    const double seconds = predict(point.product_work, fitted.costs, fitted.anchors);
    return std::isfinite(seconds) ? seconds : 0;
}

/// Predicts each fifth of the points by the others; 0 where they are too few.
std::vector<double> held_out(const Points& points) {
    std::vector<double> predicted(points.size());
    for (std::size_t fold = 0; fold < Folds::kCount; ++fold) {
        const auto is_other = [&](const Point& p) { return p.fold != fold; };
        if (std::cmp_less(std::ranges::count_if(points, is_other), kLeastPoints)) continue;
        const Fitted fitted = fit_product(points, is_other);
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (points[i].fold == fold) predicted[i] = predict(fitted, points[i]);
        }
    }
    return predicted;
}

double accuracy_of(const Points& points, const std::vector<double>& predicted) {
    std::vector<PredictedTime> times;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (predicted[i] > 0) times.push_back({predicted[i], points[i].work.seconds});
    }
    return mean_accuracy(times);
}

double doubt_of(const Points& points, const std::vector<double>& predicted) {
    double squares = 0;
    int count = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (predicted[i] <= 0) continue;
        squares += std::pow(std::log(points[i].work.seconds / predicted[i]), 2);
        ++count;
    }
    return count == 0 ? 0 : std::sqrt(squares / count);
}

void hold_out(Points& points, SpmvModel& model) {
    const auto predicted = held_out(points);
    model.held_out_accuracy = accuracy_of(points, predicted);
    model.doubt = doubt_of(points, predicted);
    for (std::size_t i = 0; i < points.size(); ++i) points[i].product->held_out = predicted[i];
}

void fit_all(Points& points, SpmvModel& model) {
    Fitted fitted = fit_product(points, [](const Point&) { return true; });
    std::vector<double> predicted;
    for (Point& point : points) {
        predicted.push_back(predict(fitted, point));
        point.product->predicted = predicted.back();
    }
    model.accuracy = accuracy_of(points, predicted);
    model.costs = std::move(fitted.costs);
    model.anchors = std::move(fitted.anchors);
}

SpmvModel fit(const GroupKey& key, Points& points) {
    const auto& [specification, value_bytes, sum_bytes] = key;
    SpmvModel model{.specification = specification, .sizes = {value_bytes, sum_bytes}, .costs = {}, .anchors = {}};
    const auto preparation = fit_costs(works_of(points, &Point::preparation, [](const Point&) { return true; }));
    std::ranges::copy(preparation, model.preparation.begin());
    model.matrices = static_cast<int>(points.size());
    hold_out(points, model);
    fit_all(points, model);
    return model;
}

}  // namespace

std::vector<SpmvModel> fit_spmv_models(std::vector<MeasuredMatrix>& matrices, const Probe& probe) {
    auto groups = group(matrices, probe);
    std::erase_if(groups, [](const auto& one) { return one.second.size() < kLeastPoints; });
    std::vector<SpmvModel> models(groups.size());
    // Factorizations grow with the cube of the matrices: seconds for a thousand of them.
    parallel_for(0, std::ssize(models), 1, [&](std::int64_t i) {
        auto& [key, points] = *std::next(groups.begin(), i);
        models[static_cast<std::size_t>(i)] = fit(key, points);
    });
    return models;
}

double predict(const SpmvModel& model, const ProductWork& work) { return predict(work, model.costs, model.anchors); }

double predict_preparation(const SpmvModel& model, const MatrixFeatures& features) {
    return seconds_of(preparation_amounts(features), model.preparation);
}

const SpmvModel* find_model(std::span<const SpmvModel> models, std::string_view specification,
                            const NumberSizes& sizes) {
    const SpmvModel* nearest = nullptr;
    for (const SpmvModel& model : models) {
        if (model.specification != specification) continue;
        if (nearest == nullptr || distance(model.sizes, sizes) < distance(nearest->sizes, sizes)) nearest = &model;
    }
    return nearest;
}

}  // namespace tilespmv
