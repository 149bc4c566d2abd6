#pragma once

#include <cstdint>

#include "tile/csr.hpp"

namespace tilespmv {

/// A matrix in ELL: every row has as many places as the longest one has nonzeros, the k-th places of all rows follow
/// each other (Bell and Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors",
/// SC 2009).
template <Value V>
struct Ell {
    static constexpr index_t kNone = -1;  ///< column of a place without a nonzero

    index_t rows = 0;
    index_t cols = 0;
    offset_t width = 0;  ///< places of a row
    Buffer<index_t> columns;
    Buffer<V> values;  ///< 0 where the column is kNone

    [[nodiscard]] std::uint64_t bytes() const { return columns.bytes() + values.bytes(); }
};

/// Bytes of `a` in ELL, without making it.
template <Value V>
std::uint64_t ell_bytes(const CsrMatrix<V>& a);

/// Bytes up to which ELL is not refused; see `refuse_if_large`.
inline constexpr std::uint64_t kEllAlwaysFine = std::uint64_t{1} << 30;

/// Throws `Refusal` if ELL of so many places a row is refused; reads only the sizes of `a`.
template <Value V>
void refuse_ell_if_large(const CsrMatrix<V>& a, offset_t width);

/// The nonzeros of the longest row of `a`. Throws `Refusal` if ELL of so many places a row is refused.
template <Value V>
offset_t ell_width(const CsrMatrix<V>& a);

/// `a` in ELL. Throws as `ell_width` does, before anything is made.
template <Value V>
Ell<V> make_ell(const CsrMatrix<V>& a);

/// The first `width` nonzeros of each row of `a` in ELL of that width; never refused.
template <Value V>
Ell<V> make_ell(const CsrMatrix<V>& a, offset_t width);

/// Other values of `a`, from whose pattern the ELL form was made; allocates nothing.
template <Value V>
void put_values(const CsrMatrix<V>& a, Ell<V>& ell);

}  // namespace tilespmv
