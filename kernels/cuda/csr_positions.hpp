#pragma once

#include "tile/buffer.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// 1, 2, ... nnz: the positions of nonzeros in the order of CSR as `DeviceValueMap` counts them, to be put where a
/// representation puts their values. In parallel. P: std::uint32_t or std::uint64_t.
template <class P>
Buffer<P> csr_positions(offset_t nnz);

}  // namespace tilespmv::cuda
