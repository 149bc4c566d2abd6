#pragma once

#include "kernels/block.hpp"

namespace tilespmv::bindings {

/// The function that JAX registers for products of arrays there.
void* jax_handler(Memory memory);

}  // namespace tilespmv::bindings
