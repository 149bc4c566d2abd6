#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// For each tile row the faster of its tiles and csr16, by `choose_paths`, in one launch. Made from
/// tiles, and from the CSR form, which is unpacked if it is not there.
/// Options: tiles_from (4,000,000: fewest nonzeros for which tile rows that gain from it go tile by tile), updatable
/// (0; 1: keep a map of 4 or 8 bytes per stored value in device memory, which `update_values` needs unless all of the
/// matrix is csr16).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_mixed_operator(const MatrixForms<V>& forms, Options& options,
                                                       Accumulator accumulator, const DeviceContext& on);

template <class V>
inline constexpr auto kMixed = on_device<V>(
    {.name = "mixed",
     .summary = "for each tile row the faster of `tile` and `csr16`; tiles_from=N takes csr16 for all where fewer "
                "nonzeros than N gain from tiles, updatable=1 keeps a map for new values",
     .made_from = Form::tiles,
     .sweeps = "tiles_from=0"},
    make_mixed_operator<V>, NewValues::with_option);

}  // namespace tilespmv::cuda
