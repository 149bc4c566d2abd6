#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The published algorithm (Niu et al., "TileSpMV", IPDPS 2021): a warp for up to four tiles of one tile row, which are
/// read as they are stored, by a routine for each format (`warp_routines.cuh`); deferred nonzeros by csr5. Unlike the
/// released code it adds up the sums of a tile row in a fixed order, not by atomics, and padding never meets x.
/// Option: updatable (0; 1: keep a map of 4 or 8 bytes per stored value in device memory, which `update_values` needs).
template <class V>
std::unique_ptr<Operator<V>> make_tile_warp_operator(const Source<V>& source, Options& options,
                                                     const MakeContext& context);

template <class V>
inline constexpr auto kTileWarp = on_device<V>(
    {.name = "tile-warp",
     .summary = "the published algorithm: a warp for up to four tiles of a tile row, a routine for each format that "
                "reads the tile as it is stored, deferred nonzeros by csr5; updatable=1 keeps a map for new values",
     .made_from = Form::tiles},
    make_tile_warp_operator<V>, NewValues::with_option);

}  // namespace tilespmv::cuda
