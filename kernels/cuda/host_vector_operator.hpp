#pragma once

#include <string>

#include "kernels/registry.hpp"

namespace tilespmv::cuda {

/// An operator whose products copy x and y to the GPU and y back. Free of CUDA's types: a build without CUDA has it
/// from `no_cuda.cpp`. Throws `Error`, `unavailable` without a GPU.
template <Value V>
std::unique_ptr<Operator<V>> make_host_vector_operator(const std::string& specification, const MatrixForms<V>& forms,
                                                       Accumulator accumulator);

}  // namespace tilespmv::cuda
