#pragma once

#include "formats/convert.hpp"
#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// Calls f(csr) with the CSR form of a tiled matrix: the one that stands beside the tiles, or if there is none, the
/// tiles unpacked. Throws `Error` if the two are not of one matrix, as far as their sizes tell.
template <class V, class F>
decltype(auto) with_csr(const DeviceSource<V>& source, F&& f) {
    if (source.csr == nullptr) return f(unpack(*source.tiles));
    const CsrMatrix<V>& csr = *source.csr;
    const TileMatrix<V>& m = *source.tiles;
    if (csr.rows != m.rows || csr.cols != m.cols || csr.nnz() != m.nnz) {
        throw Error("the CSR matrix beside the tiles is another one; their rows, columns or nonzeros differ");
    }
    return f(csr);
}

}  // namespace tilespmv::cuda
