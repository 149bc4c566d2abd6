#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "selector/auto/rank_operators.hpp"
#include "selector/models/spmv_model.hpp"

/// The choice for small matrices, which is to take less than their upload: similarities to measured matrices are found
/// once for all operators, from features that are found soon, where models of operators (`spmv_model.hpp`) find them
/// for each.
namespace tilespmv {

/// Rows, columns and nonzeros up to which a matrix is small. Models are fitted to matrices of up to twice as many.
inline constexpr offset_t kMostSmall = 1'000'000;

/// Predicts, for numbers of some sizes, the time of each operator on small matrices: the logarithm is the mean of what
/// was measured and, by simple kriging as in `fit_correction`, what similar matrices differ from it.
struct SmallModel {
    static constexpr std::size_t kCoordinates = 8;

    struct Times {
        std::string specification = {};
        double mean = 0;  ///< of the logarithms of seconds
        /// Of the preparation: what it takes in any case, for a nonzero, for a row, for a tile.
        std::array<double, 4> preparation{};
        Candidate known = {};  ///< what is known of that operator, without its name

        static Times of(const std::string& specification, double mean);
        friend bool operator==(const Times& a, const Times& b) {
            return a.specification == b.specification && a.mean == b.mean && a.preparation == b.preparation;
        }
    };

    NumberSizes sizes = {};
    std::size_t matrices = 0;
    std::vector<Times> operators = {};
    std::vector<float> places = {};   ///< the first coordinate of all matrices, the second of all, ...
    std::vector<float> weights = {};  ///< of all matrices for the first operator, 0 where it was not measured, ...

    friend bool operator==(const SmallModel&, const SmallModel&) = default;
};

/// Fits a model for each sizes of numbers with `kLeastSmall` small matrices or more to all operators that do not need
/// `FurtherFeatures::all` or tiles, with the preparations of `models`. Writes what is predicted of small matrices, and
/// what a model of other matrices predicts, into `products`.
std::vector<SmallModel> fit_small_models(std::vector<MeasuredMatrix>& matrices, std::span<const SpmvModel> models);
inline constexpr std::size_t kLeastSmall = 30;

/// The model for a matrix, of the nearest sizes of numbers; null if there is none, or the matrix has no nonzeros or is
/// not small.
const SmallModel* find_small_model(std::span<const SmallModel> models, const PatternView& a);
const SmallModel* find_small_model(std::span<const SmallModel> models, const MatrixFeatures& features);

/// Seconds of a product by each operator of the model. Needs `small_features_of` alone.
std::vector<double> predict(const SmallModel& model, const MatrixFeatures& features);

/// Every operator of the model that suits the matrix, those of the least time for the expected products first.
std::vector<RankedOperator> rank_operators(const OperatorQuestion& question, const SmallModel& model);

/// The specification of the first of these that `is_here`, of a matrix of which no features are known: finds only those
/// that it needs. Empty if none suits.
std::string choose_operator(
    const PatternView& a, offset_t products, const SmallModel& model,
    const std::function<bool(const std::string&)>& is_here = [](const std::string&) { return true; });

}  // namespace tilespmv
