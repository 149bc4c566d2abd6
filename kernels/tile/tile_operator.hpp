#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The tiled product: every tile in the way of its format (`slots.hpp`), deferred nonzeros as CSR rows. Made from
/// tiles; the CSR form is read only for a map of values, and unpacked if it is not there.
/// Options: deferred (csr: as entries of their tile rows; csr5: as a product of their own in that form, which is
/// added); updatable (0; 1: keep a map of 4 or 8 bytes per stored value in device memory, which `update_values` needs).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const MatrixForms<V>& forms, Options& options,
                                                      Accumulator accumulator, const DeviceContext& on);

template <class V>
inline constexpr auto kTile = on_device<V>(
    {.name = "tile",
     .summary = "every tile in the way of its format, deferred nonzeros as CSR rows or, with deferred=csr5, by csr5; "
                "updatable=1 keeps a map for new values",
     .made_from = Form::tiles,
     .sweeps = "deferred=csr|csr5"},
    make_tile_operator<V>, NewValues::with_option);

}  // namespace tilespmv::cuda
