#pragma once

#include "selector/auto/work_terms.hpp"

namespace tilespmv {

/// Places of the ELL part.
inline double hyb_places(const MatrixFeatures& f) { return rows_of(f) * static_cast<double>(f.hyb_width); }
/// Nonzeros of the COO part.
inline double in_coo(const MatrixFeatures& f) { return f.hyb_rest * nnz_of(f); }
/// Bytes of the matrix as HYB.
inline double hyb_bytes(const MatrixFeatures& f) {
    return (4 + value_of(f)) * hyb_places(f) + (8 + value_of(f)) * in_coo(f);
}
/// What models take a product of it to do.
inline void hyb_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::nonzeros) = hyb_places(f) + in_coo(f);
    of(work, Term::chain) = static_cast<double>(f.hyb_width);
}

}  // namespace tilespmv
