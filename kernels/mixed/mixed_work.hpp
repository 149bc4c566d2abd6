#pragma once

#include "kernels/csr16/csr16.hpp"
#include "kernels/tile/tile_work.hpp"

namespace tilespmv::cuda {

/// A matrix taken apart by the paths of its tile rows, and how the GPU shares each part, in the memory of the host.
template <Value V>
struct MixedWork {
    TileWork<V> tiled;
    Csr16 csr16;
    offset_t csr16_tile_rows = 0;  ///< tile rows of `csr16` that have nonzeros
    Buffer<V> csr16_values;        ///< none if all of the matrix is csr16: they are those of the CSR matrix then

    /// `csr` is the matrix that was taken apart.
    [[nodiscard]] const Buffer<V>& values_of_csr16(const CsrMatrix<V>& csr) const {
        return csr16.nonzeros == csr.nnz() ? csr.values : csr16_values;
    }
};

/// `csr` is the matrix that `m` was converted from.
template <Value V>
MixedWork<V> take_apart(const CsrMatrix<V>& csr, const TileMatrix<V>& m, const Paths& paths, const Gpu& gpu);

/// What a product with `work` executes: the parts of its tile rows, then csr16.
template <Value V>
std::vector<ExecutedPart> executed_parts(const MixedWork<V>& work);

}  // namespace tilespmv::cuda
