#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/csr.hpp"

namespace tilespmv::cuda {

/// Consecutive rows with nonzeros in the same columns: an *inode*, as PETSc calls it. The values of its rows follow
/// each other in the order of CSR, equally many in each.
struct alignas(16) Inode {
    offset_t first_value = 0;  ///< of its first row, in the order of CSR
    index_t first_row = 0;
    std::uint32_t first_col = 0;  ///< of its columns, in `CsrInodes::col_idxs`
};

/// CSR with one list of columns for the rows of an inode. The values are those of CSR, where they are. In the memory of
/// the host.
struct CsrInodes {
    int most_rows = 1;         ///< of an inode
    Buffer<Inode> inodes;      ///< + 1: where the last one ends
    Buffer<index_t> col_idxs;  ///< of one inode after the other

    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(inodes.size()) - 1; }
    /// Columns of an inode.
    [[nodiscard]] std::int64_t length(std::int64_t inode) const {
        return std::int64_t{inodes[inode + 1].first_col} - inodes[inode].first_col;
    }
    [[nodiscard]] std::size_t bytes() const { return inodes.bytes() + col_idxs.bytes(); }
};

/// For each row 1 if its columns are those of the row before, else 0. In parallel.
std::vector<std::uint8_t> rows_alike(std::span<const offset_t> row_ptrs, std::span<const index_t> col_idxs);

/// f(first row) for each inode: rows that are alike, up to `most_rows`.
template <class F>
void for_each_inode(const std::vector<std::uint8_t>& alike, int most_rows, F&& f) {
    for (std::size_t row = 0; row < alike.size();) {
        std::size_t end = row + 1;
        while (end < alike.size() && alike[end] != 0 && end - row < static_cast<std::size_t>(most_rows)) ++end;
        f(static_cast<index_t>(row));
        row = end;
    }
}

/// Throws `Error` if inodes have 2^32 columns or more.
void require_inode_columns(offset_t columns);

/// The inodes of a CSR matrix, whose columns are copied in parallel. Each inode takes rows as long as they are alike,
/// up to `most_rows`. Throws as `require_inode_columns`.
CsrInodes make_inodes(std::span<const offset_t> row_ptrs, std::span<const index_t> col_idxs,
                      const std::vector<std::uint8_t>& alike, int most_rows);

}  // namespace tilespmv::cuda
