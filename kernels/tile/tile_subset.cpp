#include "kernels/tile/tile_subset.hpp"

namespace tilespmv::cuda {
namespace {

void add_run(Runs& runs, offset_t first, offset_t end) {
    if (first == end) return;
    if (!runs.empty() && runs.back().second == first) {
        runs.back().second = end;
    } else {
        runs.emplace_back(first, end);
    }
}

/// Ascending offsets of parts of the given sizes, with the end.
class Offsets {
public:
    void add(offset_t size) { offsets_.push_back(offsets_.back() + size); }
    template <class T = offset_t>
    [[nodiscard]] Buffer<T> buffer() const {
        Buffer<T> b(offsets_.size());
        std::transform(offsets_.begin(), offsets_.end(), b.begin(), [](offset_t o) { return static_cast<T>(o); });
        return b;
    }

private:
    std::vector<offset_t> offsets_{0};
};

template <Value V>
void take_tiles(const TileMatrix<V>& a, const Paths& paths, Path path, TileSubset<V>& s) {
    std::vector<index_t> ids;
    Offsets tiles;
    Offsets values;
    Offsets bytes;
    Runs tile_runs;
    Runs byte_runs;
    for (std::size_t k = 0; k < a.tile_rows.size(); ++k) {
        if (paths[static_cast<std::size_t>(a.tile_rows[k])] != path) continue;
        ids.push_back(a.tile_rows[k]);
        tiles.add(a.tile_ptrs[k + 1] - a.tile_ptrs[k]);
        values.add(a.value_ptrs[k + 1] - a.value_ptrs[k]);
        bytes.add(a.index_ptrs[k + 1] - a.index_ptrs[k]);
        add_run(tile_runs, a.tile_ptrs[k], a.tile_ptrs[k + 1]);
        add_run(s.values, a.value_ptrs[k], a.value_ptrs[k + 1]);
        add_run(byte_runs, a.index_ptrs[k], a.index_ptrs[k + 1]);
    }
    s.matrix.tile_rows = Buffer<index_t>(std::span<const index_t>(ids));
    s.matrix.tile_ptrs = tiles.buffer();
    s.matrix.value_ptrs = values.buffer();
    s.matrix.index_ptrs = bytes.buffer();
    s.matrix.tiles = take(a.tiles, tile_runs);
    s.matrix.values = take(a.values, s.values);
    s.matrix.indices = take(a.indices, byte_runs);
}

template <Value V>
void take_deferred(const DeferredCsr<V>& a, const Paths& paths, Path path, TileSubset<V>& s) {
    std::vector<index_t> ids;
    Offsets rows;
    for (offset_t k = 0; k < a.listed_rows(); ++k) {
        const offset_t length = a.begin(k + 1) - a.begin(k);
        if (length == 0 || paths[static_cast<std::size_t>(a.row(k) / kTileSize)] != path) continue;
        ids.push_back(a.row(k));
        rows.add(length);
        add_run(s.deferred, a.begin(k), a.begin(k + 1));
    }
    if (ids.empty()) return;
    DeferredCsr<V>& d = s.matrix.deferred;
    d.row_ids = Buffer<index_t>(std::span<const index_t>(ids));
    d.row_ptrs64 = rows.template buffer<std::uint64_t>();
    d.col_idxs = take(a.col_idxs, s.deferred);
    d.values = take(a.values, s.deferred);
}

}  // namespace

template <Value V>
TileSubset<V> subset(const TileMatrix<V>& a, const Paths& paths, Path path) {
    TileSubset<V> s;
    s.matrix.rows = a.rows;
    s.matrix.cols = a.cols;
    take_tiles(a, paths, path, s);
    take_deferred(a.deferred, paths, path, s);
    s.matrix.nnz = s.matrix.deferred.nnz();
    for (const TileEntry entry : s.matrix.tiles) s.matrix.nnz += entry.nnz();
    return s;
}

#define TILESPMV_INSTANTIATE(V) template TileSubset<V> subset(const TileMatrix<V>&, const Paths&, Path);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
