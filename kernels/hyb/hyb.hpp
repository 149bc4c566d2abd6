#pragma once

#include <cstdint>
#include <span>

#include "kernels/coo/coo.hpp"
#include "kernels/ell/ell.hpp"

namespace tilespmv::cuda {

/// A matrix in HYB: the first nonzeros of each row in ELL, the others in COO (Bell and Garland, "Implementing sparse
/// matrix-vector multiplication on throughput-oriented processors", SC 2009). At most four times the bytes of CSR, as a
/// third of the places of ELL or more are nonzeros, so it is never refused. T: a value, or the position of one in CSR
/// order.
template <class T>
struct Hyb {
    Ell<T> ell;
    Coo<T> coo;
    Buffer<std::uint32_t> split;  ///< bit r % 32 of the r / 32-th: row r has nonzeros in `coo`, too

    [[nodiscard]] std::uint64_t ell_bytes() const { return ell.bytes(); }
    /// Tile rows with nonzeros in `coo`.
    [[nodiscard]] offset_t coo_tile_rows() const {
        offset_t found = 0;
        for (const std::uint32_t rows : split) found += ((rows & 0xffffU) != 0 ? 1 : 0) + (rows >> 16 != 0 ? 1 : 0);
        return found;
    }
};

/// The largest width such that at least a third of the rows have as many nonzeros.
offset_t hyb_width(std::span<const offset_t> row_ptrs);

/// `a` in HYB of that width, with one of `values` for each of its nonzeros; in parallel.
template <class T, Value V>
Hyb<T> make_hyb(const CsrMatrix<V>& a, const Buffer<T>& values);

/// The CSR form again, explicit zeros included.
template <Value V>
CsrMatrix<V> to_csr(const Hyb<V>& a);

}  // namespace tilespmv::cuda
