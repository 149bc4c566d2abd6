#pragma once

#include "formats/convert.hpp"
#include "kernels/matrix_forms.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {

/// Calls f(csr) with the CSR form of a tiled matrix: the one that stands beside the tiles, or if there is none, the
/// tiles unpacked. Throws `Error` if the two are not of one matrix, as far as their sizes tell.
template <class V, class F>
decltype(auto) with_csr(const MatrixForms<V>& forms, F&& f) {
    const TileMatrix<V>& m = forms.tiles();
    const auto* const csr = forms.template find<CsrMatrix<V>>();
    if (csr == nullptr) return f(unpack(m));
    if (csr->rows != m.rows || csr->cols != m.cols || csr->nnz() != m.nnz) {
        throw Error("the CSR matrix beside the tiles is another one; their rows, columns or nonzeros differ");
    }
    return f(*csr);
}

}  // namespace tilespmv::cuda
