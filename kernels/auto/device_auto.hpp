#pragma once

#include "kernels/auto/auto_options.hpp"
#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The operator that `rank_operators` puts first for the current GPU, made from CSR in host memory, or from that which
/// tiles or strips are unpacked to; `tile` of full tiles alone straight from CSR (`make_full_tile_operator`), else from
/// tiles (`CandidateForms`), to which nothing is converted for another operator. It is told by its own name. Of a
/// matrix in device memory it has a copy, whatever it is.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_auto_operator(const MatrixForms<V>& forms, Options& options,
                                                      Accumulator accumulator, const DeviceContext& on);

template <class V>
inline constexpr auto kAuto = on_device<V>({.name = "auto", .summary = kAutoSummary, .takes_any_form = true},
                                           make_auto_operator<V>);

}  // namespace tilespmv::cuda
