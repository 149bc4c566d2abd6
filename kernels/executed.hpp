#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv {

/// Nonzeros of a matrix that an operator multiplies in the same way: what it runs, whatever a selector stored.
struct ExecutedPart {
    /// "tiles", "slots", "strip", "rank-strip", "csr16", "csr5", "csr-inode", "csr", "ell", "dia", "coo", "sell",
    /// "bsr", or "walked": tiles that the CPU has no vector routine for and multiplies one nonzero at a time.
    std::string representation;
    /// Of tiles the name of their format; "deferred" for the nonzeros that a tiled matrix keeps outside its tiles,
    /// whose representation is "csr" or "csr5"; empty for everything else.
    std::string format;
    offset_t tile_rows = 0;   ///< tile rows, of 16 rows each, that have nonzeros in this part
    offset_t nnz = 0;         ///< padding apart
    std::uint64_t bytes = 0;  ///< of the matrix that a product reads for it, x and y apart

    friend bool operator==(const ExecutedPart&, const ExecutedPart&) = default;
};

/// Tile rows among rows [first, end) that hold nonzeros, by the row pointers of a CSR matrix. `first` is the first row
/// of a tile row.
offset_t occupied_tile_rows(std::span<const offset_t> row_ptrs, index_t first, index_t end);

/// The one part of an operator that multiplies all of a matrix in the same way; none if that has no nonzeros.
std::vector<ExecutedPart> executed_whole(std::string_view representation, offset_t tile_rows, offset_t nnz,
                                         std::uint64_t bytes);

/// A part for each format of the tiles, in the order of the list, and one for the deferred nonzeros. Those of tiles
/// have the bytes of their values, indices and entries, the deferred ones `deferred_bytes`. Parts may be empty.
template <Value V>
std::vector<ExecutedPart> executed_tiles(const TileMatrix<V>& a, std::uint64_t deferred_bytes);

/// The parts of a tiled matrix on the CPU, where a product reads `TileMatrix::bytes()`.
template <Value V>
std::vector<ExecutedPart> executed_tiles(const TileMatrix<V>& a);

/// Gathers the parts of an operator, so that no byte is lost and none counts twice.
class ExecutedParts {
public:
    /// Adds parts and bytes that they share, such as tile rows of level 1: these are spread over them by their
    /// nonzeros, as are the bytes of parts that have none. Parts of the same representation and format become one.
    void add(const std::vector<ExecutedPart>& parts, std::uint64_t shared_bytes);
    /// What was added, in that order; none without nonzeros. Bytes that came with parts of no nonzeros are spread over
    /// all of it.
    [[nodiscard]] std::vector<ExecutedPart> finish();

private:
    void merge(const ExecutedPart& part);

    std::vector<ExecutedPart> parts_;
    std::uint64_t left_over_ = 0;
};

}  // namespace tilespmv
