#pragma once

#include "kernels/auto/auto_options.hpp"
#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The operator that `rank_operators` puts first for the current GPU, made from CSR in host memory; `tile` of full
/// tiles alone straight from CSR (`make_full_tile_operator`), else from tiles by the selector `paper`, whose first rule
/// makes full tiles dense, to which nothing is converted for another operator. It is told by its own name. Of a matrix
/// in device memory it has a copy, whatever it is.
template <class V>
std::unique_ptr<Operator<V>> make_auto_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kAuto = on_device<V>({.name = "auto", .summary = kAutoSummary}, make_auto_operator<V>);

}  // namespace tilespmv::cuda
