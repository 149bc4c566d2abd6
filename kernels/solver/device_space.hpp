#pragma once

#include <memory>
#include <string>

#include "kernels/solver/system_space.hpp"
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

/// A space on the current GPU: uploads A and M, which are not needed afterwards. A is square. T: float or double.
/// Free of CUDA's types. Throws `Error`, `unavailable` without an available GPU and in a build without CUDA.
template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const CsrMatrix<T>& a, const AnyPreconditionerParts& m,
                                                  const DeviceSpaceOptions& options);

}  // namespace tilespmv::solver
