#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// A thread a row of `Ell`. Throws `Error` for a matrix of which ELL would be many times as large as CSR.
template <class V>
std::unique_ptr<Operator<V>> make_ell_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kEll = on_device<V>(
    {.name = "ell", .summary = "ELL, a thread a row, for even rows", .only_if_named = true}, make_ell_operator<V>);

}  // namespace tilespmv::cuda
