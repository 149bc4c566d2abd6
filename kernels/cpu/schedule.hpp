#pragma once

#include <array>
#include <span>
#include <vector>

#include "kernels/cpu/csr_rows.hpp"
#include "kernels/row_range.hpp"

namespace tilespmv::cpu {

/// Positions [begin, end) in a list.
struct Span {
    offset_t begin = 0;
    offset_t end = 0;
};

/// Consecutive rows of y that one thread computes: whole tile rows, at most `Schedule::kMaxRows`.
struct Chunk {
    index_t row = 0;  ///< the first, a multiple of 16
    index_t rows = 0;
    Span tile_rows;  ///< listed tile rows inside
    Span csr_rows;   ///< listed CSR rows inside
};

/// A piece of a heavy chunk: some of its tiles or some of its CSR nonzeros.
struct Piece {
    std::size_t heavy = 0;     ///< position of the chunk in `Schedule::heavy`
    Span tiles;                ///< positions in `TileMatrix::tiles`
    offset_t values = 0;       ///< position of the first tile's values
    offset_t index_bytes = 0;  ///< position of the first tile's index bytes
    offset_t values_end = 0;
    offset_t index_end = 0;
    Span nonzeros;  ///< positions in `CsrRows`
};

/// A tile row that is too much work for one thread, and is split. The sums of its pieces are added in their order.
struct HeavyChunk {
    Chunk chunk;
    Span pieces;
};

/// How a product is cut into work for threads: chunks of about equal bytes. Depends on the matrix alone, never on the
/// number of threads, so that results do not either.
struct Schedule {
    static constexpr index_t kMaxRows = 2048;

    std::vector<Chunk> chunks;
    std::vector<HeavyChunk> heavy;
    std::vector<Piece> pieces;
    offset_t bytes = 0;  ///< of the whole product
};

/// Bytes that a chunk has about if a product reads so many.
offset_t chunk_bytes(offset_t product_bytes);

/// For rows of `ranges`, ascending and of whole tile rows; of the others nothing is looked at, and a product reads
/// `other_bytes` bytes for them. `tiles` may be null; `csr` holds what is not in tiles.
template <Value V>
Schedule make_schedule(std::span<const RowRange> ranges, const TileMatrix<V>* tiles, const CsrRows<V>& csr,
                       offset_t other_bytes = 0);
/// For all rows.
template <Value V>
Schedule make_schedule(index_t rows, const TileMatrix<V>* tiles, const CsrRows<V>& csr) {
    return make_schedule<V>(std::array{RowRange{0, rows}}, tiles, csr);
}

}  // namespace tilespmv::cpu
