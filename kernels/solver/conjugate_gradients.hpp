#pragma once

#include <initializer_list>
#include <span>

#include "kernels/solver/options.hpp"
#include "kernels/solver/space.hpp"

namespace tilespmv::solver {

/// Preconditioned conjugate gradients over a space, which must outlive it: the same for every method and every place.
/// Keeps its vectors for further right-hand sides. T: float or double.
///  - Blocks of `check_every` iterations, then a look at the scalars.
///  - Every `compare_every` iterations, and before a solve is said to have converged, ||b - A x|| is computed, of the x
///    that the caller gets. Where it is more than ten times the ||r|| of the recurrence the iteration starts again from
///    it.
///  - It has stagnated if two restarts follow each other between which ||b - A x|| has not halved, which is as accurate
///    as T can be, or if ||r|| has not become smaller for `stagnation_iterations`.
///  - A is singular, and b not in its range, if p'Ap is so small beside those before that it is rounding. Then no step
///    is made along p.
///  - That, or that p'Ap is not positive, is believed only if it is so when summed directly; what Chronopoulos and
///    Gear compute instead may be wrong in the last bits, and then the iteration starts again.
template <class T>
class ConjugateGradients {
public:
    /// `constant_null_space`: A is singular, A * 1 = 0; b and x are kept free of their mean.
    ConjugateGradients(Space<T>& space, Method method, bool constant_null_space = false);
    ConjugateGradients(const ConjugateGradients&) = delete;
    ConjugateGradients& operator=(const ConjugateGradients&) = delete;
    ~ConjugateGradients() = default;
    [[nodiscard]] bool keeps_out_constants() const { return constant_null_space_; }

    /// b, x: `size()` values in the memory of the host, of this space's rows. x is written at every end. Throws `Error`
    /// as operations of the space do and for options that are out of range. A b that is far from 1 is solved for times
    /// a power of two, and so is x. A first guess counts as 0 if it has values that are no numbers, or a residual so
    /// large that its rounding is larger than b.
    SolveReport solve(std::span<const T> b, std::span<T> x, const SolveOptions& options = {});
    /// The same with b and x in the memory of the space. They do not overlap; x is complete when it returns.
    SolveReport solve(Vector<const T> b, Vector<T> x, const SolveOptions& options = {});

private:
    struct Progress;

    void require_size(std::size_t b, std::size_t x) const;
    double norm(Vector<T> v);
    void scale(Vector<T> v, std::initializer_list<int> exponents);
    SolveReport solve_loaded(SolveOptions options);
    SolveReport iterate(const SolveOptions& options, double whole2);
    void begin(Progress& progress, double whole2);
    double residual_of_guess(bool start_from_x, double rhs_norm);
    void start(Progress& progress, double residual);
    void precondition();
    void iterate_once();
    void run_block(const Progress& progress);
    void look(Progress& progress);
    void judge(Progress& progress);
    void compare(Progress& progress);
    void restart(Progress& progress, double residual);
    void confirm_curvature(Progress& progress);
    void finish(Progress& progress, End end);
    void finish(Progress& progress, End end, double residual);
    double true_residual();

    Space<T>& space_;
    Method method_;
    bool constant_null_space_;
    Iterates<T> v_;
    Vector<T> b_, t_;
    int exponent_ = 0;  ///< b_ and v_.x are what the caller has times 2^exponent_
};

}  // namespace tilespmv::solver
