#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// CSR with columns of 16 bits (`Csr16`), made from `DeviceSource::csr` alone. Takes no options.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_csr16_operator(const DeviceSource<V>& source, Options& options,
                                                       Accumulator accumulator, cudaStream_t stream);

}  // namespace tilespmv::cuda
