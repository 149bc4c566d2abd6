#include "kernels/solver/conjugate_gradients.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "kernels/solver/recurrence.hpp"
#include "tile/error.hpp"
#include "tile/seconds_since.hpp"

namespace tilespmv::solver {
namespace {

constexpr double kDisagreement = 10;    ///< of ||b - A x|| and ||r||
constexpr double kFloor = 0.01;         ///< of the roundings of the first residual
constexpr double kLeastProgress = 0.5;  ///< of ||b - A x|| from restart to restart
constexpr int kMostScaling = 1079;      ///< binary digits that b is moved by; the least number is 2^-1074

/// Of p'M^-1 p / p'Ap over the shortest step: beyond it A p is rounding. Measured in float64, in units of 1 / epsilon:
/// 0.5 and more where Laplacians with weights are singular, up to 1e-3 where A is so ill-conditioned that it is hardly
/// solved for. In float32 regular large grids come to 0.4.
template <class T>
constexpr double kMostStretch = (sizeof(T) == sizeof(double) ? 0.25 : 1) / double{std::numeric_limits<T>::epsilon()};

template <class T>
Vector<const T> read_only(Vector<T> v) {
    return {v.data, v.size};
}

/// The power of two that brings b near 1, from b'b: 0 if it is near enough for squares of it and of much smaller
/// residuals to be numbers. Ranks know no more of b than this, and come to the same.
template <class T>
int exponent_for(double rhs_norm2) {
    constexpr int near = sizeof(T) == sizeof(double) ? 100 : 30;
    constexpr int far = 540;  // half of the range of double: then b'b is a number
    if (rhs_norm2 == 0) return far;
    if (std::isinf(rhs_norm2)) return -far;
    const int exponent = std::isnan(rhs_norm2) ? 0 : std::ilogb(rhs_norm2) / 2;
    return std::abs(exponent) <= near ? 0 : -exponent;
}

/// Ends that p'Ap says.
bool is_of_curvature(const Scalars& s) {
    return s.end == End::singular || (s.end == End::not_positive_definite && s.rho > 0);
}

void scale(SolveReport& report, int exponent) {
    for (double* norm : {&report.rhs_norm, &report.tolerance, &report.first_residual, &report.residual})
        *norm = std::ldexp(*norm, exponent);
    for (Check& check : report.history) check.residual = std::ldexp(check.residual, exponent);
}

template <class T>
SolveOptions with_defaults(SolveOptions o, std::size_t size) {
    check_options(o);
    if (!o.rtol) o.rtol = kDefaultRtol<T>;
    const auto n = static_cast<double>(size);
    if (o.max_iterations == 0) o.max_iterations = static_cast<int>(std::clamp(10 * n, 1e3, 1e5));
    if (o.stagnation_iterations == 0) o.stagnation_iterations = static_cast<int>(std::clamp(n, 1e3, 1e4));
    if (o.check_every == 0) o.check_every = 1;
    return o;
}

}  // namespace

/// Of one solve.
template <class T>
struct ConjugateGradients<T>::Progress {
    SolveOptions options;
    SolveReport report;
    Scalars scalars;
    double floor2 = 0;  ///< of the tolerance of the recurrence: below it r no longer has to do with b - A x
    double restart_residual = std::numeric_limits<double>::infinity();
    double least_residual2 = std::numeric_limits<double>::infinity();
    int least_at = 0;     ///< the iteration of `least_residual2`
    int compared_at = 0;  ///< the iteration of the last comparison

    [[nodiscard]] bool goes_on() const { return report.end == End::none; }
};

template <class T>
ConjugateGradients<T>::ConjugateGradients(Space<T>& space, Method method, bool constant_null_space)
    : space_(space), method_(method), constant_null_space_(constant_null_space) {
    space_.reserve_vectors(method_ == Method::chronopoulos_gear ? 8 : 7);
    for (Vector<T>* v : {&v_.x, &v_.r, &v_.w, &v_.p, &v_.q, &b_, &t_}) *v = space_.make_vector();
    if (method_ == Method::chronopoulos_gear) v_.s = space_.make_vector();
}

template <class T>
void ConjugateGradients<T>::require_size(std::size_t b, std::size_t x) const {
    if (b == space_.size() && x == space_.size()) return;
    throw Error(fmt::format("a solve needs b and x of {} values, found {} and {}", space_.size(), b, x));
}

template <class T>
SolveReport ConjugateGradients<T>::solve(std::span<const T> b, std::span<T> x, const SolveOptions& options) {
    require_size(b.size(), x.size());
    const auto before = std::chrono::steady_clock::now();
    space_.upload(b, b_);
    if (options.start_from_x) space_.upload(x, v_.x);
    SolveReport report = solve_loaded(options);
    space_.download(read_only(v_.x), x);
    report.seconds = seconds_since(before);
    return report;
}

template <class T>
SolveReport ConjugateGradients<T>::solve(Vector<const T> b, Vector<T> x, const SolveOptions& options) {
    require_size(b.size, x.size);
    const auto before = std::chrono::steady_clock::now();
    space_.copy(b, b_);
    if (options.start_from_x) space_.copy(read_only(x), v_.x);
    SolveReport report = solve_loaded(options);
    space_.copy(read_only(v_.x), x);
    static_cast<void>(space_.read_scalars());  // waits for the copy
    report.seconds = seconds_since(before);
    return report;
}

/// NaN without a sign, which would be printed.
template <class T>
double ConjugateGradients<T>::norm(Vector<T> v) {
    return std::abs(std::sqrt(space_.norm2(read_only(v))));
}

/// v times powers of two, one after the other, rounded after each.
template <class T>
void ConjugateGradients<T>::scale(Vector<T> v, std::initializer_list<int> exponents) {
    std::vector<T> values(v.size);
    space_.download(read_only(v), values);
    for (T& value : values) {
        for (const int exponent : exponents) value = static_cast<T>(std::ldexp(double{value}, exponent));
    }
    space_.upload(values, v);
}

/// For b in b_ and, where it starts from that, x in v_.x; leaves x there.
template <class T>
SolveReport ConjugateGradients<T>::solve_loaded(SolveOptions options) {
    if (!options.start_from_x) space_.clear(v_.x);
    double whole2 = space_.norm2(read_only(b_));
    exponent_ = 0;
    for (int step = exponent_for<T>(whole2); step != 0 && std::abs(exponent_ + step) <= kMostScaling;
         step = exponent_for<T>(whole2)) {
        exponent_ += step;
        scale(b_, {step});
        whole2 = space_.norm2(read_only(b_));
    }
    if (exponent_ == 0) return iterate(options, whole2);
    if (options.start_from_x) scale(v_.x, {exponent_});
    options.atol = std::ldexp(options.atol, exponent_);
    if (options.on_check) {
        options.on_check = [asked = options.on_check, exponent = exponent_](const Check& check) {
            return asked({check.iteration, std::ldexp(check.residual, -exponent)});
        };
    }
    SolveReport report = iterate(options, whole2);
    scale(v_.x, {-exponent_});
    solver::scale(report, -exponent_);
    return report;
}

template <class T>
SolveReport ConjugateGradients<T>::iterate(const SolveOptions& options, double whole2) {
    Progress progress{with_defaults<T>(options, space_.total_size()), {}, {}};
    begin(progress, whole2);
    while (progress.goes_on()) {
        look(progress);
        judge(progress);
        if (progress.goes_on()) run_block(progress);
    }
    progress.report.iterations = progress.scalars.iterations;
    return progress.report;
}

/// `whole2`: b'b, before its mean is removed.
template <class T>
void ConjugateGradients<T>::begin(Progress& progress, double whole2) {
    SolveReport& report = progress.report;
    if (constant_null_space_) space_.remove_mean(b_);
    report.rhs_norm = norm(b_);
    // What remains of a constant b is rounding.
    const double rounding = constant_null_space_ ? 4 * std::numeric_limits<T>::epsilon() * std::sqrt(whole2) : 0;
    if (report.rhs_norm <= rounding) {
        space_.clear(b_);
        report.rhs_norm = 0;
    }
    report.tolerance = std::max(*progress.options.rtol * report.rhs_norm, progress.options.atol);
    report.first_residual = residual_of_guess(progress.options.start_from_x, report.rhs_norm);
    start(progress, report.first_residual);
}

/// Of x, which becomes 0 where that is as good: by a residual so large that its rounding is larger than b, or by values
/// that are no numbers.
template <class T>
double ConjugateGradients<T>::residual_of_guess(bool start_from_x, double rhs_norm) {
    const double residual = true_residual();
    if (!start_from_x) return residual;
    const bool is_worth_it = residual <= rhs_norm / double{std::numeric_limits<T>::epsilon()} &&
                             std::isfinite(space_.norm2(read_only(v_.x)));
    if (is_worth_it) return residual;
    space_.clear(v_.x);
    return true_residual();
}

/// From the residual in t, of this norm.
template <class T>
void ConjugateGradients<T>::start(Progress& progress, double residual) {
    const double floor = kFloor * std::numeric_limits<T>::epsilon() * residual;
    progress.floor2 = floor * floor;
    if (constant_null_space_) space_.remove_mean(t_);
    space_.copy(read_only(t_), v_.r);
    // beta is 0, but 0 times what an earlier solve left may be NaN.
    space_.copy(read_only(t_), v_.p);
    space_.copy(read_only(t_), v_.q);
    Scalars scalars;
    scalars.tolerance2 = std::max(progress.report.tolerance * progress.report.tolerance, progress.floor2);
    scalars.iterations = progress.scalars.iterations;
    scalars.least_alpha = progress.scalars.least_alpha;
    scalars.most_stretch = kMostStretch<T>;
    space_.write_scalars(scalars);
    precondition();
    if (method_ == Method::textbook) return space_.ratio(v_);
    space_.multiply(read_only(v_.w), v_.s);
    space_.inner_products(v_);
}

/// w = M r, without its mean where A is singular, so that the iteration stays where A is positive definite.
template <class T>
void ConjugateGradients<T>::precondition() {
    space_.precondition(read_only(v_.r), v_.w);
    if (constant_null_space_) space_.remove_mean(v_.w);
}

/// Both inner products in one pass, after Chronopoulos and Gear, "s-step iterative methods for symmetric linear
/// systems" (J. Comput. Appl. Math. 25, 1989), with a preconditioner; or as in Saad, "Iterative methods for sparse
/// linear systems" (2nd edition, 2003), algorithm 9.1, whose z is w. Where the mean is removed after M, what follows M
/// is not done at once with it.
template <class T>
void ConjugateGradients<T>::iterate_once() {
    if (method_ == Method::chronopoulos_gear) {
        if (constant_null_space_) {
            space_.advance(v_);  // p = w + beta p; q = s + beta q; x += alpha p; r -= alpha q
            precondition();
        } else {
            space_.advance_and_precondition(v_);
        }
        space_.multiply(read_only(v_.w), v_.s);  // s = A w
        space_.inner_products(v_);               // rho, mu; beta, alpha; ||r||
        return;
    }
    space_.direction(v_);                    // p = w + beta p
    space_.multiply(read_only(v_.p), v_.q);  // q = A p
    space_.step_length(v_);                  // alpha = rho / p'q
    if (!constant_null_space_) return space_.move_and_precondition(v_);
    space_.move(v_);  // x += alpha p; r -= alpha q
    precondition();
    space_.ratio(v_);  // rho; beta; ||r||
}

template <class T>
void ConjugateGradients<T>::run_block(const Progress& progress) {
    const int left = progress.options.max_iterations - progress.scalars.iterations;
    space_.repeat(std::min(progress.options.check_every, left), method_, v_, [this] { iterate_once(); });
}

/// Of the x that the caller will get: without its mean, and rounded as in the caller's scale.
template <class T>
double ConjugateGradients<T>::true_residual() {
    if (constant_null_space_) space_.remove_mean(v_.x);
    if (exponent_ != 0) scale(v_.x, {-exponent_, exponent_});
    space_.residual(read_only(b_), read_only(v_.x), t_);
    return norm(t_);
}

template <class T>
void ConjugateGradients<T>::look(Progress& progress) {
    Scalars& s = progress.scalars;
    s = space_.read_scalars();
    progress.report.history.push_back({s.iterations, std::sqrt(s.residual2)});
    if (s.residual2 < progress.least_residual2) {
        progress.least_residual2 = s.residual2;
        progress.least_at = s.iterations;
    }
}

/// Whether it goes on, from where it is or from the true residual.
template <class T>
void ConjugateGradients<T>::judge(Progress& progress) {
    const SolveOptions& options = progress.options;
    const Scalars& s = progress.scalars;
    const bool is_asked_to_stop = options.on_check && !options.on_check(progress.report.history.back());
    if (s.end == End::not_a_number) {
        finish(progress, s.end);
    } else if (is_of_curvature(s) && method_ == Method::chronopoulos_gear) {
        confirm_curvature(progress);
    } else if (s.end == End::converged || s.iterations - progress.compared_at >= options.compare_every) {
        compare(progress);
    } else if (s.end != End::none) {
        finish(progress, s.end);
    }
    if (!progress.goes_on()) return;
    if (is_asked_to_stop) return finish(progress, End::stopped);
    if (s.iterations - progress.least_at >= options.stagnation_iterations) return finish(progress, End::stagnated);
    if (s.iterations >= options.max_iterations) finish(progress, End::limit);
}

/// With x as it is.
template <class T>
void ConjugateGradients<T>::finish(Progress& progress, End end) {
    finish(progress, end, true_residual());
}

/// The only place that says that a solve has converged. `residual`: of x.
template <class T>
void ConjugateGradients<T>::finish(Progress& progress, End end, double residual) {
    progress.report.residual = residual;
    progress.report.end = std::isfinite(residual) && residual <= progress.report.tolerance ? End::converged : end;
}

/// Of ||r|| with ||b - A x||.
template <class T>
void ConjugateGradients<T>::compare(Progress& progress) {
    Scalars& s = progress.scalars;
    const double residual = true_residual();
    const double tolerance = progress.report.tolerance;
    progress.compared_at = s.iterations;
    if (residual <= tolerance) return finish(progress, End::not_a_number, residual);  // where both are Inf
    if (!(residual <= kDisagreement * std::sqrt(s.residual2))) return restart(progress, residual);
    if (s.end != End::converged) return;
    // Nearly there: the recurrence goes on to a residual that much smaller.
    const double factor = tolerance / residual / 2;
    s.tolerance2 = std::max(s.residual2 * factor * factor, progress.floor2);
    resume(s, method_);
    space_.write_scalars(s);
}

/// From the residual in t, of this norm.
template <class T>
void ConjugateGradients<T>::restart(Progress& progress, double residual) {
    if (!std::isfinite(residual)) return finish(progress, End::not_a_number, residual);
    if (residual > kLeastProgress * progress.restart_residual) return finish(progress, End::stagnated, residual);
    progress.restart_residual = residual;
    ++progress.report.restarts;
    start(progress, residual);
}

/// Sums p'Ap, p the direction that comes next, as the textbook does.
template <class T>
void ConjugateGradients<T>::confirm_curvature(Progress& progress) {
    Scalars& s = progress.scalars;
    s.end = End::none;
    space_.write_scalars(s);
    space_.direction(v_);
    space_.multiply(read_only(v_.p), v_.q);
    space_.step_length(v_);
    const End end = space_.read_scalars().end;
    if (end != End::none) return finish(progress, end);
    restart(progress, true_residual());
}

template class ConjugateGradients<double>;
template class ConjugateGradients<float>;

}  // namespace tilespmv::solver
