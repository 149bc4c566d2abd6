#pragma once

#include <cstdint>
#include <span>

#include "tile/csr.hpp"

namespace tilespmv {

/// Nonzeros of a matrix in COO, in the order of CSR. At most twice the bytes of CSR, so it is never refused.
template <Value V>
struct Coo {
    index_t rows = 0;
    index_t cols = 0;
    Buffer<index_t> row_idxs;
    Buffer<index_t> col_idxs;
    Buffer<V> values;

    [[nodiscard]] offset_t nnz() const { return static_cast<offset_t>(row_idxs.size()); }
    [[nodiscard]] std::uint64_t bytes() const { return row_idxs.bytes() + col_idxs.bytes() + values.bytes(); }
};

/// `a` in COO without the first `skip` nonzeros of each row; in parallel.
template <Value V>
Coo<V> make_coo(const CsrMatrix<V>& a, offset_t skip = 0);

/// Other values of `a`, from whose pattern the COO form was made with this `skip`; allocates nothing.
template <Value V>
void put_values(const CsrMatrix<V>& a, Coo<V>& coo, offset_t skip = 0);

/// Rows of a CSR matrix that have no nonzeros, which those of COO do not tell; ascending.
Buffer<std::uint32_t> empty_rows(std::span<const offset_t> row_ptrs);

/// For blocks of `block` nonzeros each: how many blocks before it the row of its first one begins.
Buffer<std::uint32_t> blocks_back(std::span<const index_t> row_idxs, int block);

}  // namespace tilespmv
