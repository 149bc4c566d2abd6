#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/split_row.hpp"
#include "tile/csr.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// Pieces side by side in a slice.
inline constexpr int kSlicePieces = 32;
/// Pieces whose lengths differ by less than this count as equally long.
inline constexpr int kLengthStep = 4;

/// Consecutive rows with nonzeros in the same columns, which are multiplied together.
struct RowGroups {
    int most_rows = 1;                     ///< of a group
    std::vector<index_t> first_rows = {};  ///< of each group, and behind the last row; none: each row is a group
};

/// Nonzeros from which on rows are grouped: groups are fewer than rows, and smaller matrices need all of these to keep
/// a GPU busy.
inline constexpr offset_t kFewestToGroup = 1'000'000;

/// Groups of `most_rows` rows at most, or, if that is 0, of 1, 2, 3 or 5, whichever makes least traffic for products of
/// several columns; of one row where the matrix is small.
RowGroups group_rows(std::span<const offset_t> row_ptrs, std::span<const index_t> col_idxs, std::size_t value_bytes,
                     int most_rows);

/// Nonzeros whose rows of X are loaded with those of other rows of their groups.
offset_t shared_nonzeros(std::span<const offset_t> row_ptrs, const RowGroups& groups);

/// Rows in sliced ELL for products of several columns: SELL-C-sigma (Kreutzer et al., SIAM J. Sci. Comput. 36(5), 2014)
/// with slices of 32 groups of rows, in which one of rows of more than `most_steps` nonzeros is cut into even pieces,
/// each with a place of its own in a slice. Pieces are sorted by their lengths, in steps of `kLengthStep`, the longest
/// first; equally long ones keep the order of their rows. Step k of a slice holds the k-th nonzero of each of its
/// pieces, in places 32 * (first_steps[slice] + k) + piece, or, the value of its row r, 32 * ((first_steps[slice] + k)
/// * most_rows + r) + piece. All but columns and values; in the memory of the host.
struct PieceSlices {
    std::vector<std::uint64_t> first_steps;  ///< of each slice; one more entry: the steps of all
    int most_rows = 1;                       ///< of a piece
    Buffer<std::int32_t> targets;     ///< of each piece its first row, or of one of a split row -1 - its partial sums,
                                      ///< of which it has `most_rows`
    Buffer<offset_t> first_nonzeros;  ///< of the first row of each piece, in CSR
    Buffer<std::uint16_t> lengths;    ///< of the rows of each piece, in nonzeros
    Buffer<std::uint8_t> heights;     ///< rows of each piece, if most_rows > 1
    Buffer<std::uint32_t> row_lengths;      ///< of the whole rows of each piece, if most_rows > 1
    std::vector<SplitRow> splits;           ///< rows of several pieces; partial sums of a row are most_rows apart
    std::vector<std::uint32_t> split_rows;  ///< which these are
    std::size_t long_splits = 0;            ///< of rows of so many pieces that a block is to add them: the first ones
    std::size_t partial_sums = 0;

    [[nodiscard]] std::int64_t pieces() const { return static_cast<std::int64_t>(targets.size()); }
    [[nodiscard]] std::uint64_t places() const { return first_steps.back() * kSlicePieces; }
};

/// From the row pointers of a CSR matrix, in parallel; `most_steps` from 1 to 1024. Throws `Error` for 2^31 pieces or
/// more.
PieceSlices slice_pieces(std::span<const offset_t> row_ptrs, int most_steps, const RowGroups& groups = {});

/// Steps that keep a GPU busy: few where there are few nonzeros, and enough for most rows to be one piece.
int piece_steps(offset_t nonzeros, index_t rows);

/// Whether pieces side by side read x all over: whether the 32 nonzeros of a step lie in more than 8 lines of 128 bytes
/// of a vector with values of `value_bytes` bytes, in the mean of a sample of slices.
bool is_scattered(const PieceSlices& slices, std::span<const index_t> col_idxs, std::size_t value_bytes);

/// Whether more than a quarter of the pieces are whole rows, but not those behind the rows of the piece before.
bool are_rows_apart(const PieceSlices& slices);

}  // namespace tilespmv::cuda
