#pragma once

#include <string>

#include "kernels/registry.hpp"

namespace tilespmv::cuda {

/// An operator on the current GPU whose products copy x and y to it and y back. The forms are not needed afterwards.
/// Free of CUDA's types: a build without CUDA has it from `no_cuda.cpp`. Throws `Error`, `unavailable` without a GPU.
template <Value V>
std::unique_ptr<Operator<V>> make_host_vector_operator(const std::string& specification, const MatrixForms<V>& forms,
                                                       Accumulator accumulator);

}  // namespace tilespmv::cuda
