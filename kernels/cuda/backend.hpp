#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/backend.hpp"

// What `kernels/backend.cpp` knows of the GPU, free of CUDA's types. A build without CUDA has it from `no_cuda.cpp`.
namespace tilespmv::cuda {

template <Value V>
std::vector<OperatorEntry> entries();

/// An operator whose products copy x and y to the GPU and y back. Throws `Error`, `unavailable` without a GPU.
template <Value V>
std::unique_ptr<Operator<V>> make_host_vector_operator(const std::string& specification,
                                                       const OperatorSource<V>& source, Accumulator accumulator);

}  // namespace tilespmv::cuda
