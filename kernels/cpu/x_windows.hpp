#pragma once

#include <span>
#include <vector>

#include "kernels/cpu/schedule.hpp"
#include "kernels/row_range.hpp"

namespace tilespmv::cpu {

/// Chunks that a thread multiplies one after the other, while it copies the rows of X that they need, from `first_row`
/// on, into a ring.
struct ChunkRun {
    Span chunks;
    index_t first_row = 0;
};

/// How the chunks of a product come by rows of X.
struct XWindows {
    std::vector<ChunkRun> runs;
    index_t rows = 0;  ///< of a ring: a power of two
};

/// The columns from the first to the last one that each chunk has.
template <Value V>
std::vector<RowRange> columns_of_chunks(const CsrRows<V>& a, std::span<const Chunk> chunks);

/// For about so many runs. None where rings would have more than `most_rows`, or runs would copy many of the `x_rows`
/// rows of X several times: X is to be copied as a whole then.
XWindows make_x_windows(std::span<const RowRange> columns_of_chunks, int runs, index_t x_rows, index_t most_rows);

}  // namespace tilespmv::cpu
