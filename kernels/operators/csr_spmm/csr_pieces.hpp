#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tile/types.hpp"

namespace tilespmv::cuda {

/// A row of a CSR matrix, or an even part of a long one.
struct alignas(16) CsrPiece {
    offset_t first = 0;  ///< nonzero
    std::int32_t nonzeros = 0;
    std::int32_t target = 0;  ///< the row, or, of a part of a row, -1 - its number among the parts of all rows
};

/// Which parts a part of a row belongs to.
struct alignas(16) RowPartOfCsr {
    std::uint32_t first = 0;  ///< part of its row
    std::uint32_t count = 0;  ///< parts of its row
    std::uint32_t row = 0;
};

/// The rows of a CSR matrix in their order, long ones in even parts.
struct CsrPieces {
    std::vector<CsrPiece> pieces;
    std::vector<RowPartOfCsr> parts;
};

/// Nonzeros of a row that a lane takes at most, so that longer ones are cut.
inline constexpr int kMostOfLane = 32;

/// Rows of more than `most_nonzeros` are cut. Throws `Error` for 2^31 pieces or more.
CsrPieces csr_pieces(std::span<const offset_t> row_ptrs, int most_nonzeros);

/// Lanes that share the nonzeros of a row: 4 of 16 and more in the mean, or of 40 where there are many rows.
int lanes_of_csr_spmm(offset_t nonzeros, index_t rows);

/// Whether `csr-spmm` is at least as fast as `sell-spmm`, which shares the rows of X of `shared` nonzeros, for blocks
/// whose rows take `row_bytes` bytes in a pass.
bool suits_csr_spmm(std::span<const offset_t> row_ptrs, offset_t shared, int row_bytes);

}  // namespace tilespmv::cuda
