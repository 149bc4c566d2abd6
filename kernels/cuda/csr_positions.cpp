#include "kernels/cuda/csr_positions.hpp"

#include <cstdint>

#include "tile/parallel.hpp"

namespace tilespmv::cuda {

template <class P>
Buffer<P> csr_positions(offset_t nnz) {
    Buffer<P> positions(static_cast<std::size_t>(nnz));
    constexpr std::int64_t grain = 1 << 16;
    short_for(0, nnz, grain, [&](std::int64_t k) { positions[k] = static_cast<P>(k + 1); });
    return positions;
}

template Buffer<std::uint32_t> csr_positions(offset_t);
template Buffer<std::uint64_t> csr_positions(offset_t);

}  // namespace tilespmv::cuda
