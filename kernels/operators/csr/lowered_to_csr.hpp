#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// csr-merge for an operator `name` that lowers its matrix to CSR rows, of which it has a copy. `parts`: what these
/// stand for, without bytes.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_lowered_to_csr(std::string_view name, const std::vector<ExecutedPart>& parts,
                                                       const Source<V>& source, Accumulator accumulator,
                                                       const DeviceContext& on);

}  // namespace tilespmv::cuda
