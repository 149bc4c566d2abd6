#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// `Hyb`: a thread a row of ELL, which takes in the row's sum of COO from the blocks before it in the same launch.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_hyb_operator(const MatrixForms<V>& forms, Options& options,
                                                     Accumulator accumulator, const DeviceContext& on);

template <class V>
inline constexpr auto kHyb = on_device<V>({.name = "hyb",
                                           .summary = "HYB, the first nonzeros of each row as ELL, the others as COO"},
                                          make_hyb_operator<V>);

}  // namespace tilespmv::cuda
