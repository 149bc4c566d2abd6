#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tile/csr.hpp"

namespace tilespmv::cuda {

/// Columns minus rows of the diagonals of a group, ascending; 0 behind the last diagonal of all.
struct alignas(16) DiaOffsets {
    std::array<index_t, 8> of{};

    friend bool operator==(const DiaOffsets&, const DiaOffsets&) = default;
};

/// A matrix in DIA: of every diagonal with a nonzero a place for each row (Bell and Garland, "Implementing sparse
/// matrix-vector multiplication on throughput-oriented processors", SC 2009). Unlike the published one it has a bit for
/// each place, which tells a nonzero that is 0 from a place without one. T: a value, or the position of one in CSR
/// order.
template <class T>
struct Dia {
    static constexpr int kGroup = 8;    ///< diagonals whose bits stand together, of so many rows
    static constexpr int kRowsTo = 32;  ///< places of a diagonal are a multiple of this: a warp

    index_t rows = 0;
    index_t cols = 0;
    offset_t diagonals = 0;
    offset_t stride = 0;         ///< places of a diagonal, `rows` of them used
    Buffer<DiaOffsets> offsets;  ///< one a group
    /// stride / 8 a group: bit 8 * i + j of the r-th is set where row 8 * r + j has a nonzero on diagonal i of the
    /// group.
    Buffer<std::uint64_t> held;
    Buffer<T> values;  ///< diagonal by diagonal, T{} where nothing is held

    [[nodiscard]] offset_t groups() const { return static_cast<offset_t>(offsets.size()); }
    /// Bytes that a product reads, x and y apart.
    [[nodiscard]] std::uint64_t bytes() const { return offsets.bytes() + held.bytes() + values.bytes(); }
};

/// Bytes of `a` in DIA, without making it.
template <Value V>
std::uint64_t dia_bytes(const CsrMatrix<V>& a);

/// Bytes up to which DIA is not refused; see `refuse_if_large`.
inline constexpr std::uint64_t kDiaAlwaysFine = std::uint64_t{1} << 24;

/// The diagonals with nonzeros, columns minus rows, ascending.
template <Value V>
std::vector<index_t> dia_offsets(const CsrMatrix<V>& a);

/// `a` in DIA, with one of `values` for each of its nonzeros; in parallel. `offsets`: its `dia_offsets`. Throws `Error`
/// before anything is made if it would be refused.
template <class T, Value V>
Dia<T> make_dia(const CsrMatrix<V>& a, const std::vector<index_t>& offsets, const Buffer<T>& values);
template <class T, Value V>
Dia<T> make_dia(const CsrMatrix<V>& a, const Buffer<T>& values) {
    return make_dia(a, dia_offsets(a), values);
}

/// The CSR form again, explicit zeros included.
template <Value V>
CsrMatrix<V> to_csr(const Dia<V>& a);

}  // namespace tilespmv::cuda
