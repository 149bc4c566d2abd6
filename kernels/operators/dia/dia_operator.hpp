#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// A thread a row of `Dia`, or two rows. Throws `Error` for a matrix of which DIA would be many times as large as CSR.
/// Option: rows (1 or 2, of a thread; chosen for the matrix if not given).
template <class V>
std::unique_ptr<Operator<V>> make_dia_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kDia = on_device<V>({.name = "dia",
                                           .summary = "DIA, for few full diagonals; rows=1|2 of a thread",
                                           .sweeps = "rows=1|2",
                                           .only_if_named = true},
                                          make_dia_operator<V>);

}  // namespace tilespmv::cuda
