#pragma once

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv {

/// What a set of counts, such as the lengths of all rows, looks like.
struct CountSpread {
    offset_t count = 0;  ///< how many counts there are
    double mean = 0;
    offset_t max = 0;
    double variation = 0;  ///< standard deviation / mean, 0 if the mean is

    friend bool operator==(const CountSpread&, const CountSpread&) = default;
};

/// Last number of nonzeros of each bin of the histogram of nonzeros per tile: 1, 2, 3-4, 5-8, ..., 129-255, 256.
inline constexpr std::array<int, 10> kTileNnzBins{1, 2, 4, 8, 16, 32, 64, 128, 255, 256};

/// The non-empty tiles of the 16 x 16 grid over a matrix, whatever becomes of them afterwards.
struct TileGridStatistics {
    offset_t tiles = 0;     ///< non-empty ones
    offset_t possible = 0;  ///< ceil(rows / 16) * ceil(cols / 16)
    double mean = 0;        ///< nonzeros per non-empty tile
    double median = 0;
    int max = 0;
    std::array<offset_t, kTileNnzBins.size()> histogram{};  ///< tiles per bin of kTileNnzBins

    friend bool operator==(const TileGridStatistics&, const TileGridStatistics&) = default;
};

/// Balance of work over the tile rows that hold nonzeros.
struct TileRowStatistics {
    CountSpread nnz;            ///< nonzeros per non-empty tile row
    double heaviest_share = 0;  ///< share of all nonzeros in the heaviest 1% (at least one) of these tile rows

    friend bool operator==(const TileRowStatistics&, const TileRowStatistics&) = default;
};

/// Block CSR with the block size that takes the fewest bytes.
struct BsrStatistics {
    int block_size = 0;  ///< 2, 4, 8 or 16
    offset_t blocks = 0;
    offset_t bytes = 0;

    friend bool operator==(const BsrStatistics&, const BsrStatistics&) = default;
};

/// What there is to know of a matrix before anybody chooses formats. Bytes are those of the values' own type with
/// 32-bit columns and pointers.
struct MatrixStatistics {
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;
    CountSpread row_length;
    offset_t empty_rows = 0;
    TileGridStatistics grid;
    TileRowStatistics tile_rows;
    offset_t csr_bytes = 0;
    offset_t coo_bytes = 0;
    offset_t ell_bytes = 0;  ///< rows x longest row; the largest number there is if it overflows
    BsrStatistics bsr;

    friend bool operator==(const MatrixStatistics&, const MatrixStatistics&) = default;
};

/// Bytes of a tiled matrix in the layout published for TileSpMV, with the same tiles in the same formats. Assumed are
/// the arrays and widths of the released GPU code (format.h, tilespmv_cuda.h), as far as its kernel reads them for
/// every tile, with 32-bit pointers whatever the size:
///
///  - level 1: `tile_ptr`, 4 bytes per tile row, empty ones too, and 4; per tile `kTileBytes`: 4 for the tile column
///    (`tile_columnidx`), 1 for the format (`Format`), 1 for the stored values (`blknnznnz`), 1 for the width of ELL
///    and HYB (`tilewidth`), 4 + 4 for where its values and index bytes begin (`ptroffset1`, `ptroffset2`);
///  - index: per format as here, but without masks: CSR a byte per row and 4-bit columns, COO a byte per nonzero, ELL
///    4-bit columns of all places, HYB both, DenseRow and DenseCol 4-bit ids (the released code spends a byte on each
///    and 4 on how many there are), Dense none;
///  - values: as here, padding included;
///  - deferred: CSR over all rows, 4 bytes per row and 4, 4 bytes and a value per nonzero, if there are any (the
///    released code turns it into CSR5, which takes more).
///
/// How work is divided among warps is counted in neither layout.
struct PublishedLayout {
    offset_t level1_bytes = 0;
    offset_t index_bytes = 0;
    offset_t value_bytes = 0;
    offset_t deferred_bytes = 0;

    static constexpr offset_t kTileBytes = 4 + 1 + 1 + 1 + 4 + 4;

    [[nodiscard]] offset_t bytes() const { return level1_bytes + index_bytes + value_bytes + deferred_bytes; }
};

/// What one format holds of a tiled matrix.
struct FormatStatistics {
    std::string_view name;
    offset_t tiles = 0;
    offset_t tile_rows = 0;  ///< that hold tiles of it
    offset_t nnz = 0;
    offset_t padding = 0;  ///< values stored that are no nonzeros
    offset_t value_bytes = 0;
    offset_t index_bytes = 0;
    offset_t mask_bytes = 0;    ///< those of `index_bytes` that tell padding from nonzeros
    offset_t level1_bytes = 0;  ///< the tiles' entries; what a tile row takes belongs to no format

    [[nodiscard]] offset_t bytes() const { return value_bytes + index_bytes + level1_bytes; }
    /// The same in the published layout.
    [[nodiscard]] offset_t published_bytes() const {
        return value_bytes + index_bytes - mask_bytes + tiles * PublishedLayout::kTileBytes;
    }
};

/// The part of a tiled matrix outside the tiles.
struct DeferredStatistics {
    offset_t nnz = 0;
    offset_t rows = 0;       ///< rows with deferred nonzeros
    offset_t tile_rows = 0;  ///< tile rows with deferred nonzeros
    offset_t bytes = 0;
};

/// What the tiled form of a matrix takes.
struct TiledStatistics {
    offset_t tiles = 0;
    std::vector<FormatStatistics> formats;  ///< one per format of the table, in its order
    offset_t level1_bytes = 0;
    offset_t index_bytes = 0;
    offset_t value_bytes = 0;
    DeferredStatistics deferred;
    offset_t bytes = 0;  ///< everything a product reads but x and y
    double bytes_per_nnz = 0;
    PublishedLayout published;
};

/// Time linear in rows + nnz, in parallel; the result does not depend on the number of threads.
/// Throws `Error` if `a` breaks an invariant of `CsrMatrix`.
template <Value V>
MatrixStatistics matrix_statistics(const CsrMatrix<V>& a);

/// Time linear in tiles + deferred rows; `formats` are those of the format ids in `a`.
template <Value V>
TiledStatistics tiled_statistics(const TileMatrix<V>& a, std::span<const FormatInfo> formats);

/// a * b of counts, neither below 0; the largest number there is if it overflows.
inline offset_t saturating_product(offset_t a, offset_t b) {
    offset_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<offset_t>::max() : product;
}

/// a / b, 0 if b is: means and variations of matrices without nonzeros.
inline double ratio(double a, double b) { return b != 0 ? a / b : 0; }

/// part / whole of two counts, 0 if `whole` is: shares, bytes per nonzero.
inline double share(offset_t part, offset_t whole) {
    return ratio(static_cast<double>(part), static_cast<double>(whole));
}

}  // namespace tilespmv
