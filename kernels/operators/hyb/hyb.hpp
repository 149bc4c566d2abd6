#pragma once

#include <cstdint>
#include <span>

#include "kernels/operators/coo/coo.hpp"
#include "kernels/operators/ell/ell.hpp"

namespace tilespmv {

/// Rows of more than `width` nonzeros: bit r % 32 of the r / 32-th.
Buffer<std::uint32_t> longer_rows(std::span<const offset_t> row_ptrs, offset_t width);

/// Tile rows with one of the rows whose bits are set.
offset_t tile_rows_of(std::span<const std::uint32_t> row_bits);

/// A matrix in HYB: the first nonzeros of each row in ELL, the others in COO (Bell and Garland, "Implementing sparse
/// matrix-vector multiplication on throughput-oriented processors", SC 2009). At most four times the bytes of CSR, as a
/// third of the places of ELL or more are nonzeros, so it is never refused.
template <Value V>
struct Hyb {
    Ell<V> ell;
    Coo<V> coo;
    Buffer<std::uint32_t> split;  ///< `longer_rows`: those with nonzeros in `coo`, too

    [[nodiscard]] std::uint64_t ell_bytes() const { return ell.bytes(); }
    /// Tile rows with nonzeros in `coo`.
    [[nodiscard]] offset_t coo_tile_rows() const { return tile_rows_of(split); }
};

/// The largest width such that at least a third of the rows have as many nonzeros.
offset_t hyb_width(std::span<const offset_t> row_ptrs);

/// `a` in HYB of that width; in parallel.
template <Value V>
Hyb<V> make_hyb(const CsrMatrix<V>& a);

/// Other values of `a`, from whose pattern the HYB form was made; allocates nothing.
template <Value V>
void put_values(const CsrMatrix<V>& a, Hyb<V>& hyb);

}  // namespace tilespmv
