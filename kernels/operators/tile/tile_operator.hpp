#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The tiled product: tiles are lowered to slots and entries when it is made (`slots.hpp`), which formats share. Made
/// from tiles; the CSR form is read only for a map of values, and unpacked if it is not there. Where
/// at least `scattered` of the nonzeros would be entries, all of them are CSR rows, multiplied as by csr-merge.
/// Options: deferred (csr: as entries of their tile rows; csr5: as a product of their own in that form, which is
/// added); scattered (0.5; 0: all CSR rows, 2: never); updatable (0; 1: keep a map of 4 or 8 bytes per stored value in
/// device memory, which `update_values` needs, unless all are CSR rows).
template <class V>
std::unique_ptr<Operator<V>> make_tile_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kTile = on_device<V>(
    {.name = "tile",
     .summary =
         "tiles lowered to slots, which dense, ell, csr and dense_col share, and to entries (CSR rows), as coo and "
         "deferred nonzeros; all of them CSR rows by merge path where at least scattered=S (0.5) are entries; "
         "deferred=csr5 multiplies deferred ones by csr5; updatable=1 keeps a map "
         "for new values",
     .made_from = Form::tiles,
     .sweeps = "deferred=csr|csr5,scattered=0|2"},
    make_tile_operator<V>, NewValues::with_option);

}  // namespace tilespmv::cuda
