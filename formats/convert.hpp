#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"
#include "tile/tile_pattern.hpp"

namespace tilespmv {

namespace formats {

/// Every format by its id, as archives and statistics know it.
std::span<const FormatInfo> format_table();
/// Id of the format called `name`, such as "ell". Throws a usage `Error` that lists the names there are.
int format_id(std::string_view name);
/// What a tile with at least one nonzero, whose pattern is counted, takes in the format with this id, for values of
/// `value_bytes` bytes; nothing if that cannot hold it, and for an id of no format.
std::optional<TileSize> size_in(int format, const TilePattern& pattern, int value_bytes);

}  // namespace formats

/// A tile that holds only the first nonzeros of each row, of the size that its format has for
/// `TilePattern::first_of_rows`. Small, because policies give one for every tile.
struct TilePart {
    std::int8_t row_nnz = 0;  ///< so many, fewer than the longest row has; 0: there is no part
    std::int8_t format = 0;   ///< one that can hold it
};

/// What a policy decides for one tile. What it leaves to the CSR remainder goes there if `keep_deferral` agrees.
struct TileChoice {
    int format = 0;          ///< id
    formats::TileSize size;  ///< what `size` of that format gives
    bool defer = false;      ///< leave the whole tile to the remainder
    TilePart part =
        {};  ///< or, if there is one, let the tile be this part and leave its other nonzeros to the remainder
};

/// Bytes of a whole matrix with and without what the policy wanted to defer.
struct DeferralBytes {
    offset_t with = 0;     ///< with the remainder that the policy wants
    offset_t without = 0;  ///< with all nonzeros in tiles
};

/// Decides which format a tile gets. Must be a pure function of its arguments: it is called twice for every tile, by
/// many threads.
class TilePolicy {
public:
    TilePolicy() = default;
    TilePolicy(const TilePolicy&) = delete;
    TilePolicy& operator=(const TilePolicy&) = delete;
    virtual ~TilePolicy() = default;

    /// For a counted pattern with at least one nonzero and values of `value_bytes` bytes: a format that can hold the
    /// tile, with the size that it gives.
    [[nodiscard]] virtual TileChoice choose(const TilePattern& pattern, int value_bytes) const = 0;
    /// Whether `choose` ever defers a tile or a part of one; the two functions below are only called if so.
    [[nodiscard]] virtual bool may_defer() const { return false; }
    /// Whether a tile row is better off without tiles. `tiled_bytes`: of the tiles that `choose` kept and their share
    /// of level 1; `csr_bytes`: of their nonzeros in the remainder.
    [[nodiscard]] virtual bool defer_row(offset_t /*tiled_bytes*/, offset_t /*csr_bytes*/) const { return false; }
    /// Whether to defer at all, once the whole matrix is known; if not, every tile keeps its format.
    [[nodiscard]] virtual bool keep_deferral(DeferralBytes /*bytes*/) const { return true; }
};

/// CSR to tiles, in time linear in nonzeros + rows + tiles and with scratch memory of a few numbers per tile row and
/// thread. The result does not depend on the number of threads. Throws `Error` if `a` breaks an invariant of
/// `CsrMatrix`. `wide_offsets` forces the 64-bit offsets that a remainder of 2^32 nonzeros needs.
template <Value V>
TileMatrix<V> convert(const CsrMatrix<V>& a, const TilePolicy& policy, bool wide_offsets = false);

/// Tiles back to CSR, in memory of its own; the exact inverse of `convert`. `a` must be valid.
template <Value V>
CsrMatrix<V> unpack(const TileMatrix<V>& a);

/// Throws an `Error` of exit code 3 that names the first tile whose format does not pack what it reads from it into the
/// same bytes: the format is wrong, or wrote the tile when it was. `a` must be valid.
template <Value V>
void check_encoding(const TileMatrix<V>& a);

/// Where the nonzeros of a CSR matrix went in its tiled form, so that new values can follow without a conversion.
/// Takes 4 bytes per stored value, 24 per tile row and 16 per deferred row. Its functions take the tiles that it was
/// made for, or others converted from the same pattern in the same way; they throw `Error` for tiles whose tile rows
/// or deferred rows are not as many and as large as those.
class ValueMap {
public:
    /// `pattern` must be the matrix that `tiles` was converted from; values do not matter. Throws `Error` otherwise.
    template <Value V>
    ValueMap(const CsrMatrix<V>& pattern, const TileMatrix<V>& tiles);

    /// Replaces the values of `tiles` by `values` (nnz of them, in CSR order). A streaming copy. Throws `Error`, with
    /// `tiles` as they were, for another number of values.
    template <Value V>
    void update(TileMatrix<V>& tiles, std::span<const V> values) const;

    /// What `update` reads, in absolute positions, for copies of the arrays elsewhere: per stored value of the tiles
    /// 1 + its place among the nonzeros in CSR order, 0 for padding. P must hold nnz.
    template <std::unsigned_integral P, Value V>
    [[nodiscard]] Buffer<P> tiled_positions(const TileMatrix<V>& tiles) const;
    /// The same for the deferred nonzeros, none of which is padding.
    template <std::unsigned_integral P, Value V>
    [[nodiscard]] Buffer<P> deferred_positions(const TileMatrix<V>& tiles) const;

private:
    Buffer<std::uint32_t> tiled_;      // per stored value: 1 + position relative to row_begin_, or 0 for padding
    Buffer<std::uint32_t> deferred_;   // per deferred nonzero: position relative to its row's begin
    Buffer<offset_t> value_ptrs_;      // those of the tiles
    Buffer<offset_t> tile_row_begin_;  // per listed tile row: CSR position of its first nonzero
    Buffer<offset_t> tile_row_nnz_;    // ... and how many it has, deferred ones too
    Buffer<offset_t> row_begin_;       // per listed deferred row: CSR position of its first nonzero
    Buffer<offset_t> row_place_;       // ... and its place in the deferred part
    offset_t nnz_ = 0;

    template <Value V>
    void require_same_sizes(const TileMatrix<V>& tiles) const;
};

}  // namespace tilespmv
