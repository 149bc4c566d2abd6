#include "kernels/published/tile_warp/warp_tiles.hpp"

#include <algorithm>

#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr std::size_t kBlock = kTileWarpsPerBlock;

/// Of so many warps.
std::size_t blocks_of(std::size_t warps) { return (warps + kBlock - 1) / kBlock; }

/// Takes one tile row after the other.
class Planner {
public:
    WarpPlan plan;

    /// `tiles`: `count` of them, the first of which lies at these places of the arenas.
    void add(index_t tile_row, const TileEntry* tiles, offset_t count, offset_t first_value, offset_t first_byte) {
        const auto warps = std::max<offset_t>(div_up(count, offset_t{WarpTiles::kMost}), 1);
        const std::size_t first = plan.warps.size();
        if (first % kBlock + static_cast<std::size_t>(warps) > kBlock) fill_block();
        const std::size_t begin = plan.warps.size();
        for (offset_t w = 0; w < warps; ++w) {
            WarpTiles work;
            work.tile_row = static_cast<std::uint32_t>(tile_row);
            work.first_value = first_value;
            work.first_byte = first_byte;
            const offset_t end = count * (w + 1) / warps;  // as even as they can be
            for (offset_t t = count * w / warps; t < end; ++t) {
                first_value += tiles[t].values();
                first_byte += tiles[t].index_bytes();
                work.tiles[work.count++] = tiles[t];
            }
            plan.warps.push_back(work);
        }
        join(tile_row, begin);
    }

    /// Warps without work behind the last, up to a whole block.
    void fill_block() { plan.warps.resize(blocks_of(plan.warps.size()) * kBlock); }

private:
    /// Says who adds up what for the warps of a tile row, from `begin` on.
    void join(index_t tile_row, std::size_t begin) {
        const std::size_t end = plan.warps.size();
        const bool is_split = end - begin > kBlock;
        const std::size_t first_piece = plan.pieces.pieces.size();
        for (std::size_t at = begin; at < end; ++at) {
            const std::size_t in_block = (at - begin) % kBlock;  // a split tile row begins with a block
            WarpTiles& work = plan.warps[at];
            work.warps_before = static_cast<std::uint8_t>(in_block);
            work.is_last = at + 1 == end || in_block + 1 == kBlock ? 1 : 0;
            if (is_split) work.piece = static_cast<std::int32_t>(first_piece + (at - begin) / kBlock);
        }
        if (is_split)
            plan.pieces.add(static_cast<std::uint32_t>(tile_row), static_cast<std::uint32_t>(blocks_of(end - begin)));
    }
};

/// Nobody writes through it.
template <class T>
Buffer<T> borrowed(const Buffer<T>& array) {
    return Buffer<T>::view(const_cast<T*>(array.data()), array.size(), nullptr);
}

}  // namespace

template <Value V>
WarpPlan plan_warps(const TileMatrix<V>& a) {
    Planner planner;
    const auto tile_rows = static_cast<index_t>(div_up(std::int64_t{a.rows}, std::int64_t{kTileSize}));
    std::size_t listed = 0;
    for (index_t tile_row = 0; tile_row < tile_rows; ++tile_row) {
        if (listed < a.tile_rows.size() && a.tile_rows[listed] == tile_row) {
            const offset_t first = a.tile_ptrs[listed];
            planner.add(tile_row, a.tiles.data() + first, a.tile_ptrs[listed + 1] - first, a.value_ptrs[listed],
                        a.index_ptrs[listed]);
            ++listed;
        } else {
            planner.add(tile_row, nullptr, 0, 0, 0);
        }
    }
    planner.fill_block();
    return std::move(planner.plan);
}

template <Value V>
CsrMatrix<V> deferred_alone(const TileMatrix<V>& a) {
    constexpr std::int64_t grain = 4096;
    const DeferredCsr<V>& d = a.deferred;
    CsrMatrix<V> csr{a.rows, a.cols, Buffer<offset_t>(static_cast<std::size_t>(a.rows) + 1, 0), borrowed(d.col_idxs),
                     borrowed(d.values)};
    if (d.nnz() == 0) return csr;
    parallel_for(0, std::int64_t{a.rows} + 1, grain,
                 [&](std::int64_t row) { csr.row_ptrs[row] = d.begin(d.first_listed(row)); });
    return csr;
}

#define TILESPMV_INSTANTIATE(V)                         \
    template WarpPlan plan_warps(const TileMatrix<V>&); \
    template CsrMatrix<V> deferred_alone(const TileMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
