#include "selector/models/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "selector/models/robust_weights.hpp"

namespace tilespmv {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// The normal equations of scaled columns.
struct Normal {
    Matrix gram;
    std::vector<double> right;
    std::vector<double> scale;  ///< of columns; 0 for one of zeros
};

std::vector<double> column_scales(std::span<const std::vector<double>> rows) {
    std::vector<double> scale(rows.front().size());
    for (const auto& row : rows) {
        for (std::size_t j = 0; j < scale.size(); ++j) scale[j] += row[j] * row[j];
    }
    for (double& s : scale) s = s > 0 ? 1 / std::sqrt(s) : 0;
    return scale;
}

Normal normal_of(std::span<const std::vector<double>> rows, std::span<const double> b) {
    const auto scale = column_scales(rows);
    const std::size_t size = scale.size();
    Normal normal{Matrix(size, std::vector<double>(size)), std::vector<double>(size), scale};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            const double a = rows[i][j] * scale[j];
            normal.right[j] += a * b[i];
            for (std::size_t k = 0; k < size; ++k) normal.gram[j][k] += a * rows[i][k] * scale[k];
        }
    }
    return normal;
}

/// Solves the normal equations of the columns of a set; nothing if they depend on each other.
std::vector<double> solve_for(const Normal& normal, const std::vector<std::size_t>& set) {
    Matrix gram;
    std::vector<double> right;
    for (const std::size_t i : set) {
        gram.emplace_back();
        for (const std::size_t j : set) gram.back().push_back(normal.gram[i][j]);
        right.push_back(normal.right[i]);
    }
    return solve_positive_definite(gram, right);
}

class ActiveSet {
public:
    explicit ActiveSet(const Normal& normal) : normal_(normal), x_(normal.right.size()), barred_(x_.size(), false) {}

    std::vector<double> solve() {
        const std::size_t most = 3 * x_.size();
        for (std::size_t round = 0; round < most && add_steepest(); ++round) settle();
        return x_;
    }

private:
    [[nodiscard]] double gradient(std::size_t j) const {
        return normal_.right[j] - std::inner_product(x_.begin(), x_.end(), normal_.gram[j].begin(), 0.0);
    }

    /// Frees the variable by which the error falls fastest, if there is one.
    bool add_steepest() {
        constexpr double kFlat = 1e-12;
        std::size_t best = x_.size();
        double steepest = kFlat;
        for (std::size_t j = 0; j < x_.size(); ++j) {
            if (normal_.scale[j] == 0 || barred_[j] || std::ranges::find(free_, j) != free_.end()) continue;
            if (const double slope = gradient(j); slope > steepest) {
                steepest = slope;
                best = j;
            }
        }
        if (best == x_.size()) return false;
        free_.push_back(best);
        return true;
    }

    /// Moves to the least error of the free variables, or as far as none becomes negative, and binds those that do.
    void settle() {
        while (!free_.empty()) {
            const auto z = solve_for(normal_, free_);
            if (z.empty()) {  // the last one depends on the others
                barred_[free_.back()] = true;
                free_.pop_back();
                continue;
            }
            if (std::ranges::all_of(z, [](double value) { return value > 0; })) {
                for (std::size_t i = 0; i < free_.size(); ++i) x_[free_[i]] = z[i];
                return;
            }
            step_towards(z);
        }
    }

    void step_towards(const std::vector<double>& z) {
        double share = 1;
        for (std::size_t i = 0; i < free_.size(); ++i) {
            const double x = x_[free_[i]];
            if (z[i] <= 0) share = std::min(share, x / (x - z[i]));
        }
        std::vector<std::size_t> kept;
        for (std::size_t i = 0; i < free_.size(); ++i) {
            double& x = x_[free_[i]];
            x += share * (z[i] - x);
            if (z[i] <= 0 && x <= kNothing)
                x = 0;
            else
                kept.push_back(free_[i]);
        }
        free_ = kept;
    }

    static constexpr double kNothing = 1e-14;
    const Normal& normal_;
    std::vector<double> x_;
    std::vector<std::size_t> free_;
    std::vector<bool> barred_;
};

}  // namespace

Solution solve_with_determinant(std::span<const std::vector<double>> a, std::span<const double> b) {
    constexpr double kDependent = 1e-11;
    const std::size_t size = a.size();
    Matrix l(size, std::vector<double>(size));
    std::vector<double> x(size);
    double log_determinant = 0;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            const double sum = a[i][j] - std::inner_product(l[i].begin(), l[i].begin() + static_cast<std::ptrdiff_t>(j),
                                                            l[j].begin(), 0.0);
            if (i == j && sum < kDependent) return {};
            l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
        }
        log_determinant += 2 * std::log(l[i][i]);
    }
    for (std::size_t i = 0; i < size; ++i) {
        double sum = b[i];
        for (std::size_t k = 0; k < i; ++k) sum -= l[i][k] * x[k];
        x[i] = sum / l[i][i];
    }
    for (std::size_t i = size; i-- > 0;) {
        for (std::size_t k = i + 1; k < size; ++k) x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
    return {x, log_determinant};
}

std::vector<double> solve_positive_definite(std::span<const std::vector<double>> a, std::span<const double> b) {
    return solve_with_determinant(a, b).x;
}

std::vector<double> non_negative_least_squares(std::span<const std::vector<double>> rows, std::span<const double> b) {
    if (rows.empty()) return {};
    const Normal normal = normal_of(rows, b);
    auto x = ActiveSet(normal).solve();
    for (std::size_t j = 0; j < x.size(); ++j) x[j] *= normal.scale[j];
    return x;
}

std::vector<double> fit_costs(std::span<const WorkTime> points) {
    constexpr int kRounds = 10;
    if (points.empty()) return {};
    std::vector<double> robust(points.size(), 1);
    std::vector<double> errors(points.size());
    std::vector<double> costs;
    for (int round = 0; round < kRounds; ++round) {
        Matrix rows;
        std::vector<double> ones;
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double root = std::sqrt(robust[i]);
            rows.push_back(points[i].amounts);
            for (double& amount : rows.back()) amount *= root / points[i].seconds;
            ones.push_back(root);
        }
        costs = non_negative_least_squares(rows, ones);
        for (std::size_t i = 0; i < points.size(); ++i)
            errors[i] = seconds_of(points[i].amounts, costs) / points[i].seconds - 1;
        robust = robust_weights(errors);
    }
    return costs;
}

double seconds_of(std::span<const double> amounts, std::span<const double> costs) {
    return std::inner_product(amounts.begin(), amounts.end(), costs.begin(), 0.0);
}

}  // namespace tilespmv
