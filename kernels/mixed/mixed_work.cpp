#include "kernels/mixed/mixed_work.hpp"

namespace tilespmv::cuda {
namespace {

/// The rows that a path has, as few ranges as there are.
std::vector<RowRange> ranges_of(const Paths& paths, Path path, index_t rows) {
    std::vector<RowRange> ranges;
    for (std::size_t t = 0; t < paths.size(); ++t) {
        if (paths[t] != path) continue;
        const auto first = static_cast<index_t>(t) * kTileSize;
        const index_t end = rows - first < kTileSize ? rows : first + kTileSize;
        if (!ranges.empty() && ranges.back().end == first) {
            ranges.back().end = end;
        } else {
            ranges.push_back({first, end});
        }
    }
    return ranges;
}

}  // namespace

template <Value V>
MixedWork<V> take_apart(const CsrMatrix<V>& csr, const TileMatrix<V>& m, const Paths& paths, const Gpu& gpu) {
    MixedWork<V> work;
    work.tiled = make_tile_work(m, paths, gpu);
    const offset_t nonzeros = m.nnz - work.tiled.dense.matrix.nnz - work.tiled.slots.nnz;
    const auto rows = ranges_of(paths, Path::csr16, m.rows);
    work.csr16 = make_csr16<V>(csr, rows, csr16_limits(nonzeros, gpu));
    for (const auto [first, end] : rows) work.csr16_tile_rows += occupied_tile_rows(csr.row_ptrs, first, end);
    if (nonzeros < m.nnz) work.csr16_values = in_csr16(work.csr16, csr.values);
    return work;
}

template <Value V>
std::vector<ExecutedPart> executed_parts(const MixedWork<V>& work) {
    ExecutedParts parts;
    add_executed(work.tiled, parts);
    parts.add({{"csr16", "", work.csr16_tile_rows, work.csr16.nonzeros, work.csr16.bytes(sizeof(V))}}, 0);
    return parts.finish();
}

#define TILESPMV_INSTANTIATE(V)                                                                            \
    template MixedWork<V> take_apart(const CsrMatrix<V>&, const TileMatrix<V>&, const Paths&, const Gpu&); \
    template std::vector<ExecutedPart> executed_parts(const MixedWork<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
