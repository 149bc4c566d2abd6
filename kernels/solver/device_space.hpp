#pragma once

#include <cmath>
#include <limits>
#include <memory>

#include "kernels/operator.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "kernels/solver/solve.hpp"
#include "kernels/solver/system_space.hpp"

namespace tilespmv::solver {

/// A space on the current GPU, with copies of A and M, which must outlive it nevertheless: of new values some operators
/// are made again. A is square. T: float or double. Free of CUDA's types. Throws `Error`, `unavailable` without an
/// available GPU and in a build without CUDA. If A is on this GPU, it is prepared there, and an operator that reads CSR
/// in place multiplies it, whatever its values become. `by`: an operator of A that multiplies then, as one of the
/// caller's below; else one is made. Of the options count `operator_name`, and whether one kernel does blocks of
/// iterations: not with a `constant_null_space`, as calls of the space then remove the mean of w after M.
template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const SystemMatrix<T>& a, const PreconditionerParts<T>& m,
                                                  const SolverOptions& options, const Operator<T>* by = nullptr);

/// The same of operators of the caller's on the current GPU, on which work is complete, and which must outlive it; `m`
/// may be null for I. Others may use them meanwhile, in other workspaces. Throws `Error` for an operator that is not on
/// a GPU.
template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>& a, const Operator<T>* m);

/// How far from 0 the entries of a row may add up if constant vectors are the null space, over the sum of their sizes.
template <class T>
double row_sum_tolerance() {
    return std::sqrt(double{std::numeric_limits<T>::epsilon()});
}

}  // namespace tilespmv::solver
