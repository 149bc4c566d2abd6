#pragma once

#include <string>

#include "kernels/registry.hpp"

namespace tilespmv::cuda {

/// The operator of a specification on the current GPU, on a stream of its own. The forms are not needed afterwards.
/// Free of CUDA's types: a build without CUDA has it from `no_cuda.cpp`. Throws `Error`, `unavailable` without a GPU.
template <Value V>
std::unique_ptr<Operator<V>> make_operator_on_gpu(const std::string& specification, const MatrixForms<V>& forms,
                                                  Accumulator accumulator);

}  // namespace tilespmv::cuda
