#include <algorithm>
#include <atomic>
#include <limits>

#include <fmt/format.h>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/product_loop.hpp"
#include "tile/sizes.hpp"
#include "tile/tile_scanner.hpp"

namespace tilespmv {
namespace {

constexpr std::int64_t kMapGrain = 64;  // tile rows a thread takes at a time: the work of one is a copy

[[noreturn]] void fail_pattern(std::int64_t row) {
    throw Error(
        fmt::format("update_values: the CSR pattern is not the one that was tiled (first seen near row {})", row));
}

/// Follows one tile row of the CSR pattern and of its tiled form side by side.
template <Value V>
class RowMapper {
public:
    RowMapper(const CsrMatrix<V>& a, const TileMatrix<V>& m, index_t tile_row)
        : m_(m), row0_(std::int64_t{tile_row} * kTileSize), begin_(a.row_ptrs[row0_]), scanner_(a, tile_row) {
        const offset_t end = a.row_ptrs[std::min<std::int64_t>(row0_ + kTileSize, a.rows)];
        if (end - begin_ >= std::numeric_limits<std::uint32_t>::max()) {
            throw Error(
                fmt::format("update_values: the 16 rows from {} hold {} nonzeros, at most 2^32 - 2 can be mapped",
                            row0_, end - begin_));
        }
        const auto* listed = std::lower_bound(m.tile_rows.begin(), m.tile_rows.end(), tile_row);
        if (listed == m.tile_rows.end() || *listed != tile_row) return;
        const auto k = listed - m.tile_rows.begin();
        tile_ = m.tile_ptrs[k];
        tile_end_ = m.tile_ptrs[k + 1];
        place_ = m.value_ptrs[k];
        byte_ = m.index_ptrs[k];
    }

    /// Calls deferred(row, first CSR position, count) for runs outside the tiles; writes the places of the others.
    template <class Deferred>
    void map(std::uint32_t* places, Deferred&& deferred) {
        while (scanner_.next()) {
            if (tile_ < tile_end_ && m_.tiles[tile_].column() == scanner_.column()) {
                map_tile(places, deferred);
            } else {
                for (int r = 0; r < scanner_.pattern().rows; ++r) {
                    if (scanner_.pattern().row_counts[r] > 0) {
                        deferred(row0_ + r, scanner_.first(r), scanner_.pattern().row_counts[r]);
                    }
                }
            }
        }
        if (tile_ != tile_end_) fail_pattern(row0_);
    }

private:
    // Packing positions instead of values puts each where its value is, and the index bytes that come with it tell
    // whether the pattern is the same.
    template <class Deferred>
    void map_tile(std::uint32_t* places, Deferred&& deferred) {
        const TileEntry entry = m_.tiles[tile_++];
        const TilePattern pattern = scanner_.pattern().nnz > entry.nnz() ? kept_pattern(entry) : scanner_.pattern();
        std::array<std::uint32_t, TileEntry::kMaxValues> positions;
        std::array<std::uint8_t, TileEntry::kMaxIndexBytes> index;
        int n = 0;
        for (int r = 0; r < pattern.rows; ++r) {
            offset_t at = scanner_.first(r);
            for_each_bit(scanner_.pattern().row_masks[r], [&](int c) {
                if ((pattern.row_masks[r] >> c & 1) != 0) {
                    positions[n++] = static_cast<std::uint32_t>(at - begin_) + 1;
                } else {
                    deferred(row0_ + r, at, 1);
                }
                ++at;
            });
        }
        bool same = pattern.nnz == entry.nnz();
        formats::visit_format(entry.format(), [&]<class F>() {
            const auto size = F::size(pattern, sizeof(V));
            same = same && size && size->values == entry.values() && size->index_bytes == entry.index_bytes() &&
                   size->parameter == entry.parameter();
            if (same) F::pack(pattern, *size, positions.data(), places + place_, index.data());
        });
        same = same && std::equal(index.begin(), index.begin() + entry.index_bytes(), m_.indices.data() + byte_);
        if (!same) fail_pattern(row0_);
        place_ += entry.values();
        byte_ += entry.index_bytes();
    }

    /// The pattern of a tile that holds only some of the nonzeros there are at its place.
    TilePattern kept_pattern(TileEntry entry) const {
        TilePattern kept = scanner_.pattern();
        kept.row_masks = {};
        const TileView<V> tile{kept.rows, kept.cols, entry, nullptr, m_.indices.data() + byte_};
        formats::visit_format(entry.format(), [&]<class F>() {
            F::walk(tile, [&](int r, int c, int) {
                kept.row_masks[r] = static_cast<std::uint16_t>(kept.row_masks[r] | 1u << c);
            });
        });
        for (std::size_t r = 0; r < kTileSize; ++r) {
            if ((kept.row_masks[r] & ~scanner_.pattern().row_masks[r]) != 0) fail_pattern(row0_);
        }
        kept.count();
        return kept;
    }

    const TileMatrix<V>& m_;
    std::int64_t row0_;
    offset_t begin_;
    TileScanner scanner_;
    offset_t tile_ = 0;
    offset_t tile_end_ = 0;
    offset_t place_ = 0;
    offset_t byte_ = 0;
};

}  // namespace

template <Value V>
ValueMap::ValueMap(const CsrMatrix<V>& pattern, const TileMatrix<V>& m)
    : tiled_(m.values.size()),
      deferred_(m.deferred.values.size()),
      value_ptrs_(m.value_ptrs.clone()),
      tile_row_begin_(m.tile_rows.size()),
      tile_row_nnz_(m.tile_rows.size()),
      row_begin_(static_cast<std::size_t>(m.deferred.listed_rows())),
      row_place_(row_begin_.size()),
      nnz_(m.nnz) {
    validate_row_ptrs(pattern);
    validate_sizes(m);
    if (pattern.rows != m.rows || pattern.cols != m.cols || pattern.nnz() != m.nnz) fail_pattern(0);
    for (std::size_t k = 0; k < m.tile_rows.size(); ++k) {
        const std::int64_t row = std::int64_t{m.tile_rows[k]} * kTileSize;
        tile_row_begin_[k] = pattern.row_ptrs[row];
        tile_row_nnz_[k] = pattern.row_ptrs[std::min<std::int64_t>(row + kTileSize, m.rows)] - tile_row_begin_[k];
    }
    const auto& d = m.deferred;
    for (offset_t k = 0; k < d.listed_rows(); ++k) {
        row_begin_[k] = pattern.row_ptrs[d.row(k)];
        row_place_[k] = d.begin(k);
    }
    parallel_for(0, div_up(m.rows, kTileSize), kMapGrain, [&](std::int64_t t) {
        offset_t k = d.first_listed(t * kTileSize);
        const offset_t last = d.first_listed((t + 1) * kTileSize);
        std::array<offset_t, kTileSize> cursor{};
        std::array<offset_t, kTileSize> listed;
        listed.fill(-1);
        for (; k < last; ++k) {
            listed[d.row(k) % kTileSize] = k;
            cursor[d.row(k) % kTileSize] = d.begin(k);
        }
        RowMapper<V>(pattern, m, static_cast<index_t>(t)).map(tiled_.data(), [&](std::int64_t row, offset_t p, int n) {
            const offset_t at = listed[row % kTileSize];
            offset_t& out = cursor[row % kTileSize];
            if (at < 0 || out + n > d.begin(at + 1)) fail_pattern(row);
            for (int i = 0; i < n; ++i, ++out, ++p) {
                if (d.col_idxs[out] != pattern.col_idxs[p]) fail_pattern(row);
                deferred_[out] = static_cast<std::uint32_t>(p - row_begin_[at]);
            }
        });
    });
}

// With the same sizes nothing is read or written outside of the tiles and of the new values.
template <Value V>
void ValueMap::require_same_sizes(const TileMatrix<V>& m) const {
    const auto& d = m.deferred;
    std::atomic<bool> same = m.value_ptrs == value_ptrs_ && d.values.size() == deferred_.size() &&
                             d.listed_rows() == static_cast<offset_t>(row_place_.size());
    if (same) {
        parallel_for(0, d.listed_rows(), kMapGrain * kTileSize, [&](offset_t k) {
            if (d.begin(k) != row_place_[k]) same = false;
        });
    }
    if (!same) throw Error("update_values: the map was made for other tiles; make one for these");
}

template <Value V>
void ValueMap::update(TileMatrix<V>& m, std::span<const V> values) const {
    if (static_cast<offset_t>(values.size()) != nnz_) {
        throw Error(fmt::format("update_values: {} values for a map of {} nonzeros", values.size(), nnz_));
    }
    require_same_sizes(m);
    product_loop(std::ssize(m.tile_rows), kMapGrain, [&](offset_t first, offset_t last) {
        // Taking values in turn from 16 rows of some length is slow, even in the first cache, but from a copy in one
        // place it is not.
        constexpr offset_t worth_copying = 256;
        std::array<V, 8192> copy;
        copy[0] = V{};
        for (offset_t k = first; k < last; ++k) {
            const V* in = values.data() + tile_row_begin_[k];
            const offset_t nnz = tile_row_nnz_[k];
            if (nnz >= worth_copying && nnz < static_cast<offset_t>(copy.size())) {
                std::copy_n(in, nnz, copy.begin() + 1);
                for (offset_t s = m.value_ptrs[k]; s < m.value_ptrs[k + 1]; ++s) m.values[s] = copy[tiled_[s]];
            } else {
                for (offset_t s = m.value_ptrs[k]; s < m.value_ptrs[k + 1]; ++s) {
                    m.values[s] = tiled_[s] == 0 ? V{} : in[tiled_[s] - 1];
                }
            }
        }
    });
    auto& d = m.deferred;
    product_loop(d.listed_rows(), kMapGrain * kTileSize, [&](offset_t first, offset_t last) {
        for (offset_t k = first; k < last; ++k) {
            const V* in = values.data() + row_begin_[k];
            for (offset_t p = d.begin(k); p < d.begin(k + 1); ++p) d.values[p] = in[deferred_[p]];
        }
    });
}

template <std::unsigned_integral P, Value V>
Buffer<P> ValueMap::tiled_positions(const TileMatrix<V>& m) const {
    require_same_sizes(m);
    Buffer<P> positions(tiled_.size());
    parallel_for(0, static_cast<offset_t>(m.tile_rows.size()), kMapGrain, [&](offset_t k) {
        for (offset_t s = m.value_ptrs[k]; s < m.value_ptrs[k + 1]; ++s) {
            positions[s] = tiled_[s] == 0 ? P{0} : static_cast<P>(tile_row_begin_[k] + tiled_[s]);
        }
    });
    return positions;
}

template <std::unsigned_integral P, Value V>
Buffer<P> ValueMap::deferred_positions(const TileMatrix<V>& m) const {
    require_same_sizes(m);
    Buffer<P> positions(deferred_.size());
    parallel_for(0, m.deferred.listed_rows(), kMapGrain * kTileSize, [&](offset_t k) {
        for (offset_t p = m.deferred.begin(k); p < m.deferred.begin(k + 1); ++p) {
            positions[p] = static_cast<P>(row_begin_[k] + deferred_[p] + 1);
        }
    });
    return positions;
}

#define TILESPMV_INSTANTIATE(V)                                                              \
    template ValueMap::ValueMap(const CsrMatrix<V>&, const TileMatrix<V>&);                  \
    template void ValueMap::update(TileMatrix<V>&, std::span<const V>) const;                \
    template Buffer<std::uint32_t> ValueMap::tiled_positions(const TileMatrix<V>&) const;    \
    template Buffer<std::uint64_t> ValueMap::tiled_positions(const TileMatrix<V>&) const;    \
    template Buffer<std::uint32_t> ValueMap::deferred_positions(const TileMatrix<V>&) const; \
    template Buffer<std::uint64_t> ValueMap::deferred_positions(const TileMatrix<V>&) const;
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
