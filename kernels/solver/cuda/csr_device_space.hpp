#pragma once

#include <memory>
#include <string>

#include "kernels/solver/cuda/device_space.hpp"

namespace tilespmv::solver {

/// Whether one kernel does blocks of iterations.
enum class Persistence {
    automatic,  ///< where `plan_persistent` has a plan by its sizes
    yes,        ///< wherever vectors fit; `Error` where they do not, or M is not diagonal
    no,
};

/// A space that owns A, M and a stream of its own, on the current GPU. A is square. `where`: as `make_device_space`
/// says. Throws `Error`.
template <class T>
std::unique_ptr<DeviceSpace<T>> make_csr_device_space(const CsrMatrix<T>& a, const PreconditionerParts<T>& m,
                                                      const std::string& operator_name, Persistence persistence,
                                                      const cuda::DeviceCsrView<T>* where = nullptr);

}  // namespace tilespmv::solver
