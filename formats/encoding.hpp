#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "formats/format.hpp"

namespace tilespmv::formats {

/// The nonzeros of a tile, as `pack` takes them.
template <Value V>
struct TileNonzeros {
    TilePattern pattern;
    std::array<V, TileEntry::kMaxValues> values{};  ///< row-major
};

/// What format F reads from a tile; nothing if its nonzeros do not ascend in each row, leave the tile or its values, or
/// are not as many as the entry says.
template <Format F, Value V>
std::optional<TileNonzeros<V>> read_tile(const TileView<V>& t) {
    TileNonzeros<V> found;
    TilePattern& p = found.pattern;
    p.rows = t.rows;
    p.cols = t.cols;
    std::array<V, TileEntry::kMaxValues> at{};  // by position
    int nnz = 0;
    bool ok = true;
    F::walk(t, [&](int r, int c, int place) {
        ok = ok && r >= 0 && r < t.rows && c >= 0 && c < t.cols && p.row_masks[r] >> c == 0 && place >= 0 &&
             place < t.entry.values();
        if (!ok) return;
        p.row_masks[r] = static_cast<std::uint16_t>(p.row_masks[r] | 1u << c);
        at[r * kTileSize + c] = t.values[place];
        ++nnz;
    });
    if (!ok || nnz != t.entry.nnz()) return std::nullopt;
    p.count();
    int k = 0;
    for (int r = 0; r < t.rows; ++r) {
        for_each_bit(p.row_masks[r], [&](int c) { found.values[k++] = at[r * kTileSize + c]; });
    }
    return found;
}

/// Whether format F packs what it reads from a tile into the same bytes. A tile that `pack` or `walk` gets wrong seldom
/// is such a one, so that the fault shows without the matrix that the tile was made from.
template <Format F, Value V>
bool repacks_to_itself(const TileView<V>& t) {
    const auto nonzeros = read_tile<F>(t);
    if (!nonzeros) return false;
    std::array<V, TileEntry::kMaxValues> values;
    std::array<std::uint8_t, TileEntry::kMaxIndexBytes + 1> index;
    std::memset(static_cast<void*>(values.data()), 0xff, sizeof(values));  // what is not written differs
    index.fill(0xff);
    F::pack(nonzeros->pattern, TileSize{t.entry.values(), t.entry.index_bytes(), t.entry.parameter()},
            nonzeros->values.data(), values.data(), index.data());
    const auto is_same = [](const void* packed, const void* stored, std::size_t bytes) {
        return bytes == 0 || std::memcmp(packed, stored, bytes) == 0;  // there may be no array of no bytes
    };
    return is_same(values.data(), t.values, static_cast<std::size_t>(t.entry.values()) * sizeof(V)) &&
           is_same(index.data(), t.index, static_cast<std::size_t>(t.entry.index_bytes()));
}

}  // namespace tilespmv::formats
