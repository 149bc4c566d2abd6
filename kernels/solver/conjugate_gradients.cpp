#include "kernels/solver/conjugate_gradients.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernels/solver/chronopoulos_gear.hpp"
#include "kernels/solver/recurrence.hpp"
#include "kernels/solver/textbook.hpp"
#include "tile/error.hpp"

namespace tilespmv::solver {
namespace {

constexpr double kDisagreement = 10;    ///< of ||b - A x|| and ||r||
constexpr double kFloor = 0.01;         ///< of the roundings of the first residual
constexpr double kLeastProgress = 0.5;  ///< of ||b - A x|| from restart to restart

template <class T>
Vector<const T> read_only(Vector<T> v) {
    return {v.data, v.size};
}

void check_options(const SolveOptions& o) {
    const bool are_fine = o.rtol >= 0 && o.atol >= 0 && o.max_iterations >= 0 && o.check_every >= 0 &&
                          o.compare_every > 0 && o.stagnation_iterations >= 0;
    if (!are_fine) throw Error("a tolerance or a number of iterations of a solve is negative or NaN", ExitCode::usage);
}

SolveOptions with_defaults(SolveOptions o, std::size_t size) {
    check_options(o);
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
    : projected_(space),
      space_(constant_null_space ? static_cast<Space<T>&>(projected_) : space),
      method_(method),
      constant_null_space_(constant_null_space) {
    for (Vector<T>* v : {&v_.x, &v_.r, &v_.w, &v_.p, &v_.q, &b_, &t_}) *v = space_.make_vector();
    if (method_ == Method::chronopoulos_gear) v_.s = space_.make_vector();
}

template <class T>
SolveReport ConjugateGradients<T>::solve(std::span<const T> b, std::span<T> x, const SolveOptions& options) {
    if (b.size() != space_.size() || x.size() != space_.size()) {
        throw Error(
            fmt::format("a solve needs b and x of {} values, found {} and {}", space_.size(), b.size(), x.size()));
    }
    const auto before = std::chrono::steady_clock::now();
    Progress progress{with_defaults(options, space_.total_size()), {}, {}};
    begin(b, x, progress);
    while (progress.goes_on()) {
        look(progress);
        judge(progress);
        if (progress.goes_on()) run_block(progress);
    }
    if (constant_null_space_) space_.remove_mean(v_.x);
    space_.download(read_only(v_.x), x);
    progress.report.iterations = progress.scalars.iterations;
    progress.report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    return progress.report;
}

template <class T>
void ConjugateGradients<T>::begin(std::span<const T> b, std::span<const T> x, Progress& progress) {
    SolveReport& report = progress.report;
    space_.upload(b, b_);
    const double whole2 = space_.norm2(read_only(b_));
    if (constant_null_space_) space_.remove_mean(b_);
    report.rhs_norm = std::sqrt(space_.norm2(read_only(b_)));
    // What remains of a constant b is rounding.
    const double rounding = constant_null_space_ ? 4 * std::numeric_limits<T>::epsilon() * std::sqrt(whole2) : 0;
    const bool is_zero = report.rhs_norm <= rounding;
    if (whole2 == 0 && std::ranges::any_of(b, [](T value) { return value != 0; }))
        throw Error("the right-hand side is so small that the square of its norm is 0: scale it");
    report.tolerance = std::max(progress.options.rtol * report.rhs_norm, progress.options.atol);
    const std::vector<T> zeros(is_zero || !progress.options.start_from_x ? x.size() : 0, T{0});
    space_.upload(zeros.empty() ? x : zeros, v_.x);
    if (is_zero) {
        report.rhs_norm = 0;
        report.end = End::converged;
        return;
    }
    report.residual = report.first_residual = true_residual();
    if (!std::isfinite(report.rhs_norm)) {  // or else any residual would do
        report.end = End::not_a_number;
        return;
    }
    start(progress, report.first_residual);
}

/// From the residual in t, of this norm.
template <class T>
void ConjugateGradients<T>::start(Progress& progress, double residual) {
    const double floor = kFloor * std::numeric_limits<T>::epsilon() * residual;
    progress.floor2 = floor * floor;
    space_.copy(read_only(t_), v_.r);
    // beta is 0, but 0 times what an earlier solve left may be NaN.
    space_.copy(read_only(t_), v_.p);
    space_.copy(read_only(t_), v_.q);
    Scalars scalars;
    scalars.tolerance2 = std::max(progress.report.tolerance * progress.report.tolerance, progress.floor2);
    scalars.iterations = progress.scalars.iterations;
    space_.write_scalars(scalars);
    if (method_ == Method::chronopoulos_gear) {
        chronopoulos_gear::start(space_, v_);
    } else {
        textbook::start(space_, v_);
    }
}

template <class T>
void ConjugateGradients<T>::run_block(const Progress& progress) {
    const int left = progress.options.max_iterations - progress.scalars.iterations;
    space_.repeat(std::min(progress.options.check_every, left), method_, v_, [this] {
        if (method_ == Method::chronopoulos_gear) {
            chronopoulos_gear::iterate(space_, v_);
        } else {
            textbook::iterate(space_, v_);
        }
    });
}

template <class T>
double ConjugateGradients<T>::true_residual() {
    space_.residual(read_only(b_), read_only(v_.x), t_);
    return std::sqrt(space_.norm2(read_only(t_)));
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
    if (s.end == End::not_positive_definite && s.rho > 0 && method_ == Method::chronopoulos_gear) {
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

template <class T>
void ConjugateGradients<T>::finish(Progress& progress, End end) {
    SolveReport& report = progress.report;
    report.residual = true_residual();
    report.end = std::isfinite(report.residual) && report.residual <= report.tolerance ? End::converged : end;
}

/// Of ||r|| with ||b - A x||.
template <class T>
void ConjugateGradients<T>::compare(Progress& progress) {
    Scalars& s = progress.scalars;
    const double residual = true_residual();
    const double tolerance = progress.report.tolerance;
    progress.compared_at = s.iterations;
    if (residual <= tolerance) return finish(progress, End::converged);
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
    if (!(residual <= kLeastProgress * progress.restart_residual)) return finish(progress, End::stagnated);
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
