#include "selector/models/similarity.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <vector>

#include "selector/models/least_squares.hpp"
#include "selector/models/similarity_vectors.hpp"

namespace tilespmv {
namespace {

/// Coordinates are shares of these terms of `model_terms`.
struct ShareScale {
    std::string_view term;
    double scale = 0;
};
constexpr std::array kShareScales{ShareScale{"launch", 1.56}, ShareScale{"nonzeros", 2.0}, ShareScale{"x_sectors", 1.0},
                                  ShareScale{"rows", 1.58},   ShareScale{"chain", 1.96},   ShareScale{"uneven", 2.15}};

double log2_of(double amount) { return std::log2(1 + std::max(amount, 0.0)); }

const ModelTerm& term_of(std::string_view name) { return *std::ranges::find(model_terms(), name, &ModelTerm::name); }

/// The part of the sum of costs that a term has: whether products wait for it.
double share_of(std::string_view name, std::span<const double> amounts, std::span<const double> costs, double sum) {
    const auto term = static_cast<std::size_t>(&term_of(name) - model_terms().data());
    return sum > 0 ? amounts[term] * costs[term] / sum : 0;
}

/// Factors of 2 in the length of rows, if they all have the same: their lines begin alike, and banks of shared memory
/// meet.
double even_length(const MatrixFeatures& f) {
    constexpr int kMost = 6;
    if (f.longest_row <= 0 || f.mean_row <= 0) return 0;
    const int twos = std::min(std::countr_zero(static_cast<std::uint64_t>(f.longest_row)), kMost);
    return twos * std::exp(-20 * f.row_deviation / f.mean_row);
}

/// Places of all rounds over nonzeros, if a round takes so many nonzeros of a row.
double padding(const MatrixFeatures& f, int nonzeros) {
    const RowRounds& rounds = rounds_of(f.row_rounds, {nonzeros, 1});
    return static_cast<double>(rounds.all) * nonzeros / std::max(static_cast<double>(f.nnz), 1.0);
}

/// How often x is as large as a cache, as a power of 2 within limits beyond which it does not matter.
double log2_of_x(const MatrixFeatures& f, double cache_bytes, double least) {
    const double bytes = static_cast<double>(f.value_bytes) * static_cast<double>(f.cols);
    return std::clamp(std::log2(std::max(bytes, 1.0) / std::max(cache_bytes, 1.0)), least, 2.0);
}

/// How far the last wave of blocks is from a full one, as a power of 2. Half a wave and less is as long as any.
double idle_in_last_wave(double waves) { return waves <= 0.5 ? 0 : std::log2(std::ceil(waves) / waves); }

/// Within limits beyond which it does not matter.
double log2_of_waves(double waves) { return waves <= 0 ? 0 : std::clamp(std::log2(waves), -12.0, 12.0); }

/// Variances of what has nothing to do with places, over that of what has, that are tried: where times are measured
/// well, little but features that are not known; of a processor that others use, more.
constexpr std::array kNoises{0.003, 0.03, 0.3};

double in_units(double coordinate) { return std::round(coordinate * Anchors::kUnits) / Anchors::kUnits; }

std::vector<std::vector<double>> covariance_of(const std::vector<Anchor>& anchors) {
    const Anchors all(anchors);
    std::vector<std::vector<double>> covariance(anchors.size(), std::vector<double>(anchors.size()));
    for (std::size_t i = 0; i < anchors.size(); ++i) {
        all.visit_squared_distances(anchors[i].place, [&](std::size_t first, std::span<const double> squares) {
            const auto row = std::span(covariance[i]).subspan(first);
            const std::size_t count = std::min(squares.size(), row.size());
            similarities(squares.first(count), row.first(count));
        });
    }
    return covariance;
}

}  // namespace

Place place_of(const ProductWork& work, std::span<const double> costs) {
    constexpr double kNearCache = 192 << 10;  // bytes of x that a multiprocessor keeps
    const MatrixFeatures& f = work.features;
    const auto amounts = amounts_of(work);
    const double sum = seconds_of(amounts, costs);
    const auto of = [&](Term term) { return work.work[static_cast<std::size_t>(term)]; };
    Place place{0.056 * log2_of(f.rows),
                0.036 * log2_of(f.cols),
                0.15 * log2_of(std::max(f.mean_row, 1e-3)),
                0.065 * log2_of(static_cast<double>(f.longest_row)),
                0.4 * f.empty_rows,
                0.056 * even_length(f),
                0.043 * log2_of(padding(f, 64)),
                0.043 * log2_of(padding(f, 128)),
                0.13 * log2_of(static_cast<double>(f.hyb_width)),
                0.7 * f.hyb_rest,
                0.275 * f.x_sectors,
                0.64 * f.piece_sectors,
                0.082 * log2_of_x(f, kNearCache, -2),
                0.116 * log2_of_x(f, work.probe.cache_bytes, -3),
                0.04 * log2_of(f.tile_nonzeros),
                0.056 * log2_of(f.strip_slots),
                0.27 * (log2_of(of(Term::nonzeros)) - log2_of(static_cast<double>(f.nnz))),
                0.045 * log2_of(of(Term::chain)),
                0.167 * log2_of(term_of("waves").amount(work)),
                0.2 * std::min(work.bytes / std::max(work.probe.cache_bytes, 1.0), 2.0),
                0.19 * work.launch_choice,
                0.3 * idle_in_last_wave(work.launch_waves),
                0.2 * log2_of_waves(work.launch_waves),
                0.7 * work.own_sectors};
    std::ranges::transform(kShareScales, place.end() - kShareScales.size(),
                           [&](const ShareScale& one) { return one.scale * share_of(one.term, amounts, costs, sum); });
    std::ranges::transform(place, place.begin(), in_units);
    return place;
}

/// Of the noise of the greatest marginal likelihood, with the best amplitude for each; the least of equal ones.
std::vector<double> kriging_weights(std::vector<std::vector<double>>& covariance, std::span<const double> errors) {
    constexpr double kEqual = 1e-9;
    const auto size = static_cast<double>(errors.size());
    std::vector<double> weights;
    double least = std::numeric_limits<double>::infinity();
    for (const double noise : kNoises) {
        for (std::size_t i = 0; i < covariance.size(); ++i) covariance[i][i] = 1 + noise;
        const auto [x, log_determinant] = solve_with_determinant(covariance, errors);
        if (x.empty()) continue;
        const double squares = std::inner_product(x.begin(), x.end(), errors.begin(), 0.0);
        const double unlikely = size * std::log(std::max(squares, 1e-300)) + log_determinant;
        if (unlikely >= least - kEqual) continue;
        least = unlikely;
        weights = x;
    }
    return weights;
}

Anchors fit_correction(std::span<const Place> places, std::span<const double> errors) {
    std::vector<Anchor> anchors;
    for (const Place& place : places) anchors.push_back({place});
    auto covariance = covariance_of(anchors);
    const auto weights = kriging_weights(covariance, errors);
    if (!std::ranges::all_of(weights, [](double one) { return std::isfinite(one); })) return {};
    if (weights.empty()) return {};
    for (std::size_t i = 0; i < weights.size(); ++i) anchors[i].weight = weights[i];
    return Anchors(anchors);
}

double correction_at(const Place& place, const Anchors& anchors) {
    double correction = 0;
    anchors.visit_squared_distances(place, [&](std::size_t first, std::span<const double> squares) {
        correction += weighted_similarities(squares, anchors.block_weights().subspan(first, squares.size()));
    });
    return correction;
}

}  // namespace tilespmv
