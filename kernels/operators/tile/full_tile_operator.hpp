#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// The tiled product of a matrix of nothing but full tiles, straight from its CSR form: values go into their places on
/// the GPU, where new ones go, too, without a map. It is `tile` by name, and null for any other matrix
/// (`full_tiles`).
template <class V>
std::unique_ptr<Operator<V>> make_full_tile_operator(const Source<V>& source, const MakeContext& context);

/// Whether it makes one. Of most matrices the lengths of their rows tell.
template <class V>
bool has_full_tiles_only(const Source<V>& source);

}  // namespace tilespmv::cuda
