#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// A thread a row of `Ell`. Throws `Error` for a matrix of which ELL would be many times as large as CSR. Option:
/// updatable (0; 1: keep a map of 4 or 8 bytes per place in device memory, which `update_values` needs).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_ell_operator(const MatrixForms<V>& forms, Options& options,
                                                     Accumulator accumulator, const DeviceContext& on);

template <class V>
inline constexpr auto kEll =
    on_device<V>({.name = "ell",
                  .summary = "ELL, a thread a row, for even rows; updatable=1 keeps a map for new values",
                  .updatable = true,
                  .only_if_named = true},
                 make_ell_operator<V>);

}  // namespace tilespmv::cuda
