#pragma once

#include <memory>
#include <string>

#include "kernels/operator.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "kernels/solver/system_space.hpp"
#include "kernels/source.hpp"
#include "tile/csr.hpp"

namespace tilespmv::solver {

struct DeviceSpaceOptions {
    std::string operator_name = "auto";  ///< that multiplies by A, `name[:option=value,...]`
    /// Iterations remove the mean of w after M, by calls of the space: a kernel that does whole iterations by itself
    /// cannot be used.
    bool constant_null_space = false;
    bool use_persistent_kernel = true;  ///< whole blocks of iterations in one kernel where that is predicted to win
    /// The same wherever it can be done, so that it can be measured; `Error` where it cannot.
    bool persistent_at_any_size = false;
};

/// A space on the current GPU, with copies of A and M, which must outlive it nevertheless: of new values some operators
/// are made again. A is square. T: float or double. Free of CUDA's types. Throws `Error`, `unavailable` without an
/// available GPU and in a build without CUDA. If A is on this GPU, it is prepared there, and an operator that reads CSR
/// in place multiplies it, whatever its values become. `by`: an operator of A that multiplies then, as one of the
/// caller's below; else one is made.
template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const SystemMatrix<T>& a, const PreconditionerParts<T>& m,
                                                  const DeviceSpaceOptions& options, const Operator<T>* by = nullptr);

/// The same of operators of the caller's on the current GPU, on which work is complete, and which must outlive it; `m`
/// may be null for I. Others may use them meanwhile, in other workspaces. Throws `Error` for an operator that is not on
/// a GPU.
template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>& a, const Operator<T>* m);

/// A copy in the memory of the host of a matrix on the current GPU. Throws `Error`, `unavailable` without a GPU.
template <class T>
CsrMatrix<T> copy_to_host(const cuda::DeviceCsrView<T>& a);
/// Whether each entry of a square matrix on the current GPU differs from its mirror image by at most `tolerance` times
/// the larger of both: then `check_symmetry` of a copy has nothing against it.
template <class T>
bool is_mirrored_there(const cuda::DeviceCsrView<T>& a, double tolerance);
/// Whether the entries of each row add up to 0, but for `tolerance` times the sum of their sizes, as far as sums in
/// another order than on the host tell.
template <class T>
bool adds_up_to_zero_there(const cuda::DeviceCsrView<T>& a, double tolerance);

}  // namespace tilespmv::solver
