#include "selector/models/spmv_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "selector/models/accuracy.hpp"
#include "selector/models/least_squares.hpp"

namespace tilespmv {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kLeastPoints = 3;

/// A point of a fit, and where what is predicted of it goes.
struct Point {
    WorkTime work;
    WorkTime preparation;
    ProductTime* product = nullptr;
    std::size_t fold = 0;
};
using Points = std::vector<Point>;
using GroupKey = std::tuple<std::string, std::size_t, Regime>;

std::vector<double> preparation_amounts(const MatrixFeatures& f) {
    const auto nnz = static_cast<double>(f.nnz);
    return {1, nnz, static_cast<double>(f.rows), f.tile_nonzeros > 0 ? nnz / f.tile_nonzeros : 0};
}

std::map<GroupKey, Points> group(std::vector<MeasuredMatrix>& matrices, const Probe& probe) {
    std::map<GroupKey, Points> groups;
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        const MatrixFeatures& f = matrices[i].features;
        for (ProductTime& product : matrices[i].products) {
            product.predicted = product.held_out = 0;
            if (!product.error.empty() || product.seconds <= 0) continue;
            const auto entry = modelled_operator(probe.is_gpu, product.specification);
            const ProductWork work = product_work(entry.candidate, f, probe);
            product.regime = regime_of(work);
            groups[{product.specification, f.value_bytes, product.regime}].push_back(
                {{amounts_of(work), product.seconds},
                 {preparation_amounts(f), std::max(product.preparation_seconds, 1e-9)},
                 &product,
                 i % kFolds});
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

void hold_out(Points& points) {
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
        const auto others = works_of(points, &Point::work, [&](const Point& p) { return p.fold != fold; });
        if (others.size() < kLeastPoints) continue;
        const auto costs = fit_costs(others);
        for (Point& point : points) {
            if (point.fold == fold) point.product->held_out = seconds_of(point.work.amounts, costs);
        }
    }
}

void judge(SpmvModel& model, const Points& points) {
    std::vector<PredictedTime> fitted;
    std::vector<PredictedTime> held_out;
    double squares = 0;
    for (const Point& point : points) {
        const ProductTime& p = *point.product;
        fitted.push_back({p.predicted, p.seconds});
        if (p.held_out <= 0) continue;
        held_out.push_back({p.held_out, p.seconds});
        squares += std::pow(std::log(p.seconds / p.held_out), 2);
    }
    model.accuracy = mean_accuracy(fitted);
    model.held_out_accuracy = mean_accuracy(held_out);
    model.doubt = held_out.empty() ? 0 : std::sqrt(squares / static_cast<double>(held_out.size()));
}

SpmvModel fit(const GroupKey& key, Points& points) {
    const auto all = [](const Point&) { return true; };
    const auto& [specification, value_bytes, regime] = key;
    SpmvModel model{.specification = specification, .value_bytes = value_bytes, .regime = regime, .costs = {}};
    model.costs = fit_costs(works_of(points, &Point::work, all));
    const auto preparation = fit_costs(works_of(points, &Point::preparation, all));
    std::ranges::copy(preparation, model.preparation.begin());
    model.matrices = static_cast<int>(points.size());
    for (const Point& point : points) point.product->predicted = seconds_of(point.work.amounts, model.costs);
    hold_out(points);
    judge(model, points);
    return model;
}

double distance(const SpmvModel& model, std::size_t value_bytes, Regime regime) {
    const double sizes = std::log2(static_cast<double>(model.value_bytes) / static_cast<double>(value_bytes));
    return std::abs(sizes) + (model.regime == regime ? 0 : 100);
}

}  // namespace

std::vector<SpmvModel> fit_spmv_models(std::vector<MeasuredMatrix>& matrices, const Probe& probe) {
    std::vector<SpmvModel> models;
    for (auto& [key, points] : group(matrices, probe)) {
        if (points.size() >= kLeastPoints) models.push_back(fit(key, points));
    }
    return models;
}

double predict(const SpmvModel& model, const ProductWork& work) { return seconds_of(amounts_of(work), model.costs); }

double predict_preparation(const SpmvModel& model, const MatrixFeatures& features) {
    return seconds_of(preparation_amounts(features), model.preparation);
}

const SpmvModel* find_model(std::span<const SpmvModel> models, std::string_view specification, std::size_t value_bytes,
                            Regime regime) {
    const SpmvModel* nearest = nullptr;
    for (const SpmvModel& model : models) {
        if (model.specification != specification) continue;
        if (nearest == nullptr || distance(model, value_bytes, regime) < distance(*nearest, value_bytes, regime))
            nearest = &model;
    }
    return nearest;
}

}  // namespace tilespmv
