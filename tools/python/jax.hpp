#pragma once

#include "kernels/block.hpp"

namespace tilespmv::bindings {

/// The function that JAX registers for products of arrays there, also by values that come with them.
void* jax_handler(Memory memory, bool has_values);

}  // namespace tilespmv::bindings
