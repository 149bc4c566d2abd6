#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// CSR with x of the columns of most nonzeros in shared memory (`CsrHub`), made from CSR alone. Split rows are added up
/// in the order of their nonzeros. Option: hubs (how many columns, as far as shared memory has room; otherwise those
/// that pay, by `hub_limits`).
template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr_hub_operator(const MatrixForms<V>& forms, Options& options,
                                                         Accumulator accumulator, const DeviceContext& on);

template <class V>
inline constexpr auto kCsrHub = on_device<V>(
    {.name = "csr-hub",
     .summary = "CSR with x of the columns of most nonzeros in shared memory, for power-law matrices; hubs=N columns, "
                "otherwise those that pay",
     .sweeps = "hubs=0|64|4096|16384"},
    make_csr_hub_operator<V>);

}  // namespace tilespmv::cuda
