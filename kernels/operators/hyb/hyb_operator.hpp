#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// `Hyb`: a thread a row of ELL, which takes in the row's sum of COO from the blocks before it in the same launch.
template <class V>
std::unique_ptr<Operator<V>> make_hyb_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kHyb = on_device<V>({.name = "hyb",
                                           .summary = "HYB, the first nonzeros of each row as ELL, the others as COO"},
                                          make_hyb_operator<V>);

}  // namespace tilespmv::cuda
