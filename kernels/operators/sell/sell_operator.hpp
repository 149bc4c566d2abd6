#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// Sliced ELL of rows sorted by their lengths (`SellPlan`), made from CSR alone; columns in 16 bits where they fit.
/// Options: steps (the most of a slice, 1 to 1024; otherwise by the number of nonzeros), hubs (of how many columns,
/// those of the most nonzeros, x is copied into one place before each product, by a kernel of its own; otherwise those
/// that pay, by `HubTuning`).
template <class V>
std::unique_ptr<Operator<V>> make_sell_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kSell = on_device<V>(
    {.name = "sell",
     .summary = "sliced ELL, rows sorted by length, 1 to 32 lanes a row, for uneven rows; steps=N: most steps of a "
                "slice, hubs=N: most columns whose x is copied side by side",
     .sweeps = "steps=4|8|16|32|64,hubs=0|16384|65536"},
    make_sell_operator<V>);

}  // namespace tilespmv::cuda
