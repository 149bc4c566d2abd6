#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cuda/paths.hpp"
#include "kernels/cuda/schedule.hpp"
#include "tile/csr.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {

/// What one block does: consecutive rows, or a piece of one row. Of its `nonzeros`, those of the i-th row end before
/// `Batch::ends[first_end + i]`.
struct BatchItem {
    std::int64_t first_nonzero = 0;
    std::int64_t first_code = 0;
    std::uint32_t first_end = 0;
    std::uint32_t first_row = 0;
    std::uint32_t base_column = 0;
    std::uint16_t nonzeros = 0;
    std::uint16_t rows = 0;
    std::int32_t slot = -1;         ///< of a piece's partial sum, -1: the block writes y itself
    std::int32_t split = -1;        ///< position in `Batch::splits`
    std::uint8_t threads_log2 = 0;  ///< threads that add up a row, as a power of 2
    bool is_piece = false;          ///< of one row, which all threads add up
    bool wide = false;              ///< codes of 32 bits
};
static_assert(sizeof(BatchItem) == 48);

/// The nonzeros of tile rows whose tiles are too small for a warp each, row by row. A nonzero is a value and a code:
/// its column relative to the first tile column of its item, in 16 bits where the item spans so few columns, else 32.
struct Batch {
    static constexpr int kThreads = 64;
    static constexpr int kMaxNonzeros = 8 * kThreads;  ///< of an item of several rows
    static constexpr int kMaxRows = 4 * kThreads;

    std::vector<BatchItem> items;
    Buffer<std::uint16_t> ends;
    Buffer<std::uint16_t> codes;
    std::vector<offset_t> sources;  ///< per item: its first nonzero in the CSR matrix
    std::vector<SplitRow> splits;   ///< rows cut in pieces
    std::uint32_t slots = 0;
    offset_t nonzeros = 0;
};

/// How a batch is cut.
struct BatchLimits {
    int item_nonzeros = Batch::kMaxNonzeros;       ///< of an item of several rows, 1 to Batch::kMaxNonzeros
    int piece_nonzeros = 4 * Batch::kMaxNonzeros;  ///< of a row that is longer, at least as many and below 2^16
};

/// Items for the tile rows of `a` whose path is the batch.
template <Value V>
Batch make_batch(const CsrMatrix<V>& a, const Paths& paths, const BatchLimits& limits);

/// What belongs to the nonzeros of the batch, out of what belongs to those of the CSR matrix (such as their values).
template <class T>
Buffer<T> in_batch(const Batch& batch, const Buffer<T>& of_csr) {
    Buffer<T> taken(static_cast<std::size_t>(batch.nonzeros));
    parallel_for(0, static_cast<std::int64_t>(batch.items.size()), 64, [&](std::int64_t i) {
        const BatchItem& item = batch.items[static_cast<std::size_t>(i)];
        std::copy_n(of_csr.data() + batch.sources[static_cast<std::size_t>(i)], item.nonzeros,
                    taken.data() + item.first_nonzero);
    });
    return taken;
}

/// Limits with which `multiprocessors` are all busy.
BatchLimits batch_limits(offset_t nonzeros, int multiprocessors);

}  // namespace tilespmv::cuda
