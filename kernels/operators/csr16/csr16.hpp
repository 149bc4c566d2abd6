#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/split_row.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/row_range.hpp"
#include "selector/work_sizes.hpp"
#include "tile/csr.hpp"

namespace tilespmv::cuda {

/// A row block, which one team of threads multiplies: consecutive rows, or a row longer than those, or a piece of one.
/// Of its `nonzeros`, those of the i-th row end before `Csr16::ends[first_end + i]`.
struct Csr16Block {
    std::int64_t first_nonzero = 0;
    std::int64_t first_code = 0;
    std::uint32_t first_end = 0;
    std::uint32_t first_row = 0;
    std::uint32_t base_column = 0;
    std::uint16_t nonzeros = 0;
    std::uint16_t rows = 0;
    std::int32_t partial = -1;      ///< position of a piece's partial sum, -1: its team writes y itself
    std::int32_t split = -1;        ///< position in `Csr16::splits`
    std::uint8_t threads_log2 = 0;  ///< threads that add up a row, as a power of 2
    bool is_piece = false;          ///< one row or a piece of it, which all threads add up
    bool wide = false;              ///< codes of 32 bits
};
static_assert(sizeof(Csr16Block) == 48);

/// CSR with columns of 16 bits: the nonzeros of some rows of a matrix in the order of CSR, cut into row blocks.
/// A nonzero is a value and a code, its column relative to its row block's base column, in 16 bits where the columns of
/// the row block span fewer than 2^16, else in 32. Made from CSR alone; in the memory of the host.
struct Csr16 {
    static constexpr int kThreads = kCsr16Threads;
    static constexpr int kMaxNonzeros = kRowBlockNonzeros * kThreads;  ///< of a row block of several rows
    static constexpr int kMaxRows = kRowBlockRows * kThreads;

    std::vector<Csr16Block> blocks;
    Buffer<std::uint16_t> ends;
    Buffer<std::uint16_t> codes;
    std::vector<offset_t> sources;  ///< per row block: its first nonzero in the CSR matrix
    std::vector<SplitRow> splits;   ///< rows in several row blocks
    std::uint32_t partials = 0;     ///< partial sums that their pieces leave
    offset_t nonzeros = 0;
    offset_t in_long_rows = 0;  ///< nonzeros of rows longer than a row block

    /// Bytes that a product reads, x and y apart.
    [[nodiscard]] std::size_t bytes(std::size_t value_bytes) const {
        return blocks.size() * sizeof(Csr16Block) + ends.bytes() + codes.bytes() +
               static_cast<std::size_t>(nonzeros) * value_bytes;
    }
};

/// How nonzeros are cut into row blocks.
struct Csr16Limits {
    int block_nonzeros = Csr16::kMaxNonzeros;  ///< of a row block of several rows, 1 to Csr16::kMaxNonzeros
    /// Of a piece of a row that is longer, at least as many, ...
    int piece_nonzeros = RowBlockTuning{}.max_piece * Csr16::kMaxNonzeros;
    int whole_row = 0;  ///< ... and of one that is one piece; both below 2^16
    int nonzeros_per_thread = RowBlockTuning{}.nonzeros_per_thread;  ///< of the mean row, for each that adds it up
};

/// Threads that add up a row, as a power of 2, so that each has about `each` nonzeros of a mean row.
TILESPMV_HD constexpr int csr16_threads_log2(offset_t rows, offset_t nonzeros, int each) {
    int log2 = 0;
    while (log2 < 5 && nonzeros > rows * (each << log2)) ++log2;
    return log2;
}

/// Sets what follows from the columns of a row block, which are these at least and at most: how its codes are. Returns
/// the room for them, in 16 bits each.
TILESPMV_HD constexpr std::int64_t set_columns(Csr16Block& block, index_t lowest, index_t highest) {
    if (block.nonzeros > 0) {
        const index_t base = lowest / kTileSize * kTileSize;
        block.wide = highest - base > 0xffff;
        block.base_column = block.wide ? 0 : static_cast<std::uint32_t>(base);
    }
    return block.wide ? block.nonzeros * 2 : (block.nonzeros + 1) / 2 * 2;  // wide ones are read as 32 bits
}

/// Rows of a matrix, as of `make_csr16`, cut by its row pointers alone: columns and codes are not known yet.
Csr16 cut_csr16(std::span<const offset_t> row_ptrs, std::span<const RowRange> rows, const Csr16Limits& limits);

/// The given rows of `a`; ranges ascend and do not overlap.
template <Value V>
Csr16 make_csr16(const CsrMatrix<V>& a, std::span<const RowRange> rows, const Csr16Limits& limits);

/// All rows of `a`.
template <Value V>
Csr16 make_csr16(const CsrMatrix<V>& a, const Csr16Limits& limits) {
    const RowRange all{0, a.rows};
    return make_csr16(a, std::span(&all, 1), limits);
}

/// Those for `nonzeros` nonzeros on a GPU, by `row_block_limits`.
Csr16Limits csr16_limits(offset_t nonzeros, const Gpu& gpu);

}  // namespace tilespmv::cuda
