#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// A thread a row of `Dia`, or two rows. Throws `Error` for a matrix of which DIA would be many times as large as CSR.
/// Options: rows (1 or 2, of a thread; chosen for the matrix if not given), updatable (0; 1: keep a map of 4 or 8 bytes
/// per place in device memory, which `update_values` needs).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_dia_operator(const MatrixForms<V>& forms, Options& options,
                                                     Accumulator accumulator, const DeviceContext& on);

template <class V>
inline constexpr auto kDia = on_device<V>(
    {.name = "dia",
     .summary = "DIA, for few full diagonals; rows=1|2 of a thread; updatable=1 keeps a map for new values",
     .updatable = true,
     .sweeps = "rows=1|2",
     .only_if_named = true},
    make_dia_operator<V>);

}  // namespace tilespmv::cuda
