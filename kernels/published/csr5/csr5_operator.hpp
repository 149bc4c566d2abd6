#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// CSR5 (`Csr5`), made from CSR alone. Split rows are added up in the order of the tiles. Option: sigma (4, 8 or 16
/// nonzeros of a lane; default `csr5_sigma`).
template <class V>
std::unique_ptr<Operator<V>> make_csr5_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kCsr5 = on_device<V>(
    {.name = "csr5",
     .summary = "CSR5, equal tiles of 32 lanes with sigma nonzeros each, summed in registers; sigma=4|8|16, otherwise "
                "chosen from nnz/rows",
     .sweeps = "sigma=4|8|16"},
    make_csr5_operator<V>);

}  // namespace tilespmv::cuda
