#pragma once

#include <memory>
#include <span>
#include <string>

#include "kernels/operator.hpp"
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
/// available GPU and in a build without CUDA. `where`: A is there, too, on this GPU, and an operator that reads CSR in
/// place multiplies it there, whatever its values become; it must outlive the space. Null: it is not.
template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const CsrMatrix<T>& a, const PreconditionerParts<T>& m,
                                                  const DeviceSpaceOptions& options,
                                                  const cuda::DeviceCsrView<T>* where = nullptr);

/// The same of operators of the caller's on the current GPU, on which work is complete, and which must outlive it; `m`
/// may be null for I. New values are refused. Throws `Error` for an operator that is not on a GPU.
template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>& a, const Operator<T>* m);

/// A copy in the memory of the host of a matrix on the current GPU. Throws `Error`, `unavailable` without a GPU.
template <class T>
CsrMatrix<T> copy_to_host(const cuda::DeviceCsrView<T>& a);
/// Its values alone. Throws as `copy_to_host`.
template <class T>
void copy_values_to_host(const cuda::DeviceCsrView<T>& a, std::span<T> values);

}  // namespace tilespmv::solver
