#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "selector/models/modelled_operators.hpp"
#include "selector/models/similarity.hpp"

/// The model of an operator: seconds of a product as costs of amounts of work, without running it, corrected by what
/// that sum leaves on similar matrices.
namespace tilespmv {

/// What was measured of an operator on a matrix, and what models say of it.
struct ProductTime {
    std::string specification = {};
    double seconds = 0;  ///< of a product among others like it
    double preparation_seconds = 0;
    std::string error = {};  ///< why there is no time; else empty
    Regime regime = Regime::resident;
    double predicted = 0;  ///< by the model of all matrices; 0 without one
    double held_out = 0;   ///< by a model of other matrices alone; 0 without one

    friend bool operator==(const ProductTime&, const ProductTime&) = default;
};

/// A matrix of the benchmark set.
struct MeasuredMatrix {
    std::string name = {};    ///< its specification
    std::string values = {};  ///< their type
    MatrixFeatures features = {};
    std::vector<ProductTime> products = {};

    friend bool operator==(const MeasuredMatrix&, const MeasuredMatrix&) = default;
};

/// The model of an operator for values and sums of one size.
struct SpmvModel {
    std::string specification = {};
    NumberSizes sizes = {};
    std::vector<double> costs = {};  ///< in the order of `model_terms`
    Anchors anchors = {};            ///< of `correction_at`
    /// Of the preparation: what it takes in any case, for a nonzero, for a row, for a tile.
    std::array<double, 4> preparation{};
    int matrices = 0;  ///< that it was fitted to
    // Means of 1 - |predicted - measured| / measured:
    double accuracy = 0;
    double held_out_accuracy = 0;  ///< of each fifth of the matrices by the other four; 0 if they are too few
    double doubt = 0;              ///< root of the mean square of log(measured / held out)

    friend bool operator==(const SpmvModel&, const SpmvModel&) = default;
};

/// Fits a model for each operator and sizes of numbers with three measured matrices or more, and writes what models
/// predict into `products`.
std::vector<SpmvModel> fit_spmv_models(std::vector<MeasuredMatrix>& matrices, const Probe& probe);

/// Seconds of a product.
double predict(const SpmvModel& model, const ProductWork& work);
double predict_preparation(const SpmvModel& model, const MatrixFeatures& features);

/// The model of an operator of the nearest sizes of numbers; null if the operator has none.
const SpmvModel* find_model(std::span<const SpmvModel> models, std::string_view specification,
                            const NumberSizes& sizes);

}  // namespace tilespmv
